# syntax=docker/dockerfile:1
# Images for a release, for several architectures:
#   docker buildx build --platform linux/amd64,linux/arm64 --target platform --tag REGISTRY/mesh-platform:VERSION --push .
#   docker buildx build --platform linux/amd64,linux/arm64 --target launcher --tag REGISTRY/mesh-launcher:VERSION --push .
# Content, paths, users and start are those of `npm run images`, which needs no Docker; a test compares them.
ARG NODE_VERSION=26.10.0

# The bundles are JavaScript, the same for every architecture.
FROM --platform=$BUILDPLATFORM node:${NODE_VERSION}-bookworm-slim AS build
WORKDIR /src
COPY package.json package-lock.json ./
COPY local/apiserver/package.json local/apiserver/
COPY ui/package.json ui/
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN node scripts/images.ts --content /out

FROM node:${NODE_VERSION}-bookworm-slim AS programs
RUN apt-get update \
  && apt-get install --yes --no-install-recommends tini \
  && mkdir /mesh \
  && cp /usr/bin/tini-static /mesh/tini \
  && cp /usr/local/bin/node /mesh/node

# No shell and no package manager: the C library, certificates, and a temporary folder.
FROM gcr.io/distroless/cc-debian12:nonroot AS base
COPY --from=build /out/etc/ /etc/
COPY --from=programs /mesh/ /mesh/
USER 65532:65532

FROM base AS launcher
COPY --from=build --chmod=644 /out/launcher.mjs /mesh/launcher.mjs
ENV PATH=/mesh:/usr/bin:/bin
WORKDIR /
ENTRYPOINT ["/mesh/tini", "-g", "--", "/mesh/node", "--max-semi-space-size=4", "/mesh/launcher.mjs"]

FROM base AS platform
COPY --from=build /out/platform/ /app/
COPY --from=build --chmod=755 /src/scripts/images/mesh /usr/local/bin/mesh
ENV PATH=/usr/local/bin:/usr/bin:/bin NODE_ENV=production
WORKDIR /app
ENTRYPOINT ["/mesh/tini", "-g", "--", "/mesh/node", "--heap-growing-percent=100", "--no-memory-reducer", "--max-semi-space-size=4", "/app/main.js"]
