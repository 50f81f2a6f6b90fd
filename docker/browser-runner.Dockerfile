# The browser runner with Debian's Chromium, and fonts for the ten languages of the pages it opens.
#   docker build -f docker/browser-runner.Dockerfile -t tallyhand/browser-runner:0.1.0 .

FROM node:24.21.0-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY agent-runtime/package.json agent-runtime/
COPY browser-runner/package.json browser-runner/
COPY cli/package.json cli/
COPY client/package.json client/
COPY command-service/package.json command-service/
COPY contracts/package.json contracts/
COPY event-store/package.json event-store/
COPY offline-engine/package.json offline-engine/
COPY projector/package.json projector/
COPY query-service/package.json query-service/
COPY read-models/package.json read-models/
COPY test-kit/package.json test-kit/
COPY service-kit/package.json service-kit/
COPY stack/package.json stack/
COPY verifier/package.json verifier/
COPY web/package.json web/
# The Chromium that comes as a package serves where the system has none.
RUN npm ci --cache .npm --omit=dev -w agent-runtime -w browser-runner -w contracts -w offline-engine \
      -w service-kit \
    && rm -rf node_modules/@sparticuz .npm

FROM node:24.21.0-bookworm-slim
RUN apt-get update \
    && apt-get install -y --no-install-recommends \
         chromium fonts-noto-core fonts-noto-cjk fonts-noto-color-emoji \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /app
# Nothing but /tmp can be written to.
ENV NODE_ENV=production CHROMIUM_PATH=/usr/bin/chromium HOME=/tmp
COPY --from=packages /app ./
COPY agent-runtime agent-runtime
COPY browser-runner browser-runner
COPY contracts contracts
COPY offline-engine offline-engine
COPY service-kit service-kit
USER 1000:1000
CMD ["node", "browser-runner/src/main.ts"]
