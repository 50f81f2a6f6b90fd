# All Node services except the browser runner, in one image; with the pages, the web's image.
#   docker build -f docker/services.Dockerfile --target services -t tallyhand/services:0.1.0 .
#   docker build -f docker/services.Dockerfile --target web -t tallyhand/web:0.1.0 .

FROM node:24.21.0-bookworm-slim AS node
WORKDIR /app

# Only what says which packages there are: a change of sources installs nothing again.
FROM node AS manifests
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

# Browsers are the runner's. PostgreSQL and the event store of the deployment on one machine are for
# the operator's commands, which read and make its data folders.
FROM manifests AS packages
RUN npm ci --cache .npm --omit=dev \
      -w agent-runtime -w command-service -w contracts -w event-store -w offline-engine \
      -w projector -w query-service -w read-models -w service-kit -w stack \
    && rm -rf node_modules/@sparticuz node_modules/playwright* .npm

FROM manifests AS pages
RUN npm ci --omit=dev -w cli -w client -w contracts -w service-kit -w verifier -w web
COPY tsconfig.json ./
COPY scripts scripts
COPY cli cli
COPY client client
COPY contracts contracts
COPY docs/threat-model.md docs/
COPY service-kit service-kit
COPY verifier verifier
COPY web web
RUN node client/src/generator/build.main.ts && node cli/bundle.js && node verifier/bundle.js \
    && cd web && node ../node_modules/vite/bin/vite.js build

FROM node AS services
ENV NODE_ENV=production
# With the links of node_modules to our own packages, through which their sources are found.
COPY --from=packages /app ./
COPY agent-runtime agent-runtime
COPY command-service command-service
COPY contracts contracts
COPY event-store event-store
COPY offline-engine offline-engine
COPY projector projector
COPY query-service query-service
COPY read-models read-models
COPY service-kit service-kit
COPY stack stack
COPY verifier verifier
USER 1000:1000
CMD ["node", "command-service/src/main.ts"]

FROM services AS web
COPY --from=pages /app/web/dist web/dist
CMD ["node", "stack/src/web.main.ts"]
