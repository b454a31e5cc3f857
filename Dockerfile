# docker build -t quire . && docker run --rm -p 8099:8099 -e QUIRE_TOKEN="$(openssl rand -hex 32)" quire
# Any role by settings: docker run … -v ./config:/etc/quire:ro quire start --roles proxy --config /etc/quire/quire.properties
# Without Docker and without an image registry: npm run image (deploy/image/build.ts), which replaces all three stages below.

# The packages as npm would install them, in /image. `--build-context packages=FOLDER` takes them from elsewhere.
FROM node:24-slim AS packages
WORKDIR /src
COPY . .
RUN npm ci --no-audit --no-fund && npm run build && node deploy/image/image-files.ts /image

FROM node:24-slim AS node
RUN apt-get update && apt-get install --yes --no-install-recommends tini

# The C and C++ libraries, without a shell and without a package manager.
FROM gcr.io/distroless/cc-debian12
COPY --from=node /usr/local/bin/node /usr/local/bin/node
COPY --from=node /usr/bin/tini-static /usr/local/bin/tini
COPY --from=packages /image/opt /opt
COPY --from=packages /image/etc/quire /etc/quire
COPY --from=packages --chown=65532:65532 /image/var/lib/quire /var/lib/quire
COPY --from=packages --chown=65532:65532 /image/var/tmp/quire /var/tmp/quire
LABEL org.opencontainers.image.title="Quire" \
  org.opencontainers.image.description="Runs a query once, keeps its whole answer and serves any page of it." \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.documentation="/opt/quire/node_modules/@quire/cli/config"
# `nonroot` of the base. Only /var/lib/quire and /var/tmp/quire are written to, so the rest may be read-only.
USER 65532:65532
ENV NODE_ENV=production NODE_COMPILE_CACHE=/var/tmp/quire/compile HOME=/var/tmp/quire
# Memory that was freed returns to the system: a server of many readers has some 45 MB less, for the same processor time.
ENV MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=262144 MALLOC_TRIM_THRESHOLD_=262144
VOLUME ["/var/lib/quire", "/var/tmp/quire"]
# Broker, proxy, controller.
EXPOSE 8099 8080 9000
STOPSIGNAL SIGTERM
# Checks the broker; for another role, set QUIRE_HEALTH_URL to its /health.
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s CMD ["node", "-e", \
  "fetch(process.env.QUIRE_HEALTH_URL ?? 'http://127.0.0.1:8099/health').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# The kernel drops signals that the first process of a container does not handle. Node handles none while it starts: tini passes
# them on, and reaps orphaned processes.
ENTRYPOINT ["tini", "--", "node", "--max-semi-space-size=2", "/opt/quire/node_modules/@quire/cli/bin/quire.cjs"]
CMD ["start", "--config", "/etc/quire/quire.properties"]
