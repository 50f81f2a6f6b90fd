# The reverse proxy, with a folder for certificates that a user without rights may write.
#   docker build -f docker/proxy.Dockerfile -t tallyhand/proxy:0.1.0 .

FROM caddy:2.11.4-alpine
ENV XDG_DATA_HOME=/var/lib/caddy/data XDG_CONFIG_HOME=/var/lib/caddy/config
RUN mkdir -p "$XDG_DATA_HOME" "$XDG_CONFIG_HOME" && chown -R 1000:1000 /var/lib/caddy
COPY docker/Caddyfile /etc/caddy/Caddyfile
USER 1000:1000
