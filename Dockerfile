# Quire in a container: docker build -t quire . && docker run -v ./config:/etc/quire:ro -v results:/var/lib/quire -p 8099:8099 quire
# The command is the entry point: `docker run … quire cleaner --config …` runs a cleaner.

FROM node:24-slim AS build
WORKDIR /src
COPY . .
RUN npm ci --no-audit --no-fund && npm run build
# As strangers get it: packed, then installed without what only development needs.
RUN mkdir /tarballs && npm pack --ignore-scripts --pack-destination /tarballs $(find ./packages -mindepth 1 -maxdepth 1 -type d) \
  && npm install --prefix /opt/quire --omit=dev --no-audit --no-fund /tarballs/*.tgz

FROM node:24-slim
RUN useradd --system --uid 10001 --home-dir /nonexistent --shell /usr/sbin/nologin quire \
  && install -d -o quire -g quire -m 0750 /var/lib/quire /var/tmp/quire
COPY --from=build /opt/quire /opt/quire
USER quire
VOLUME /var/lib/quire
EXPOSE 8099
ENV NODE_ENV=production
# Asked of the server itself; a cleaner has another port, which the compose file beside the settings shows.
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s CMD ["node", "-e", \
  "fetch('http://127.0.0.1:8099/health').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# Node itself is the first process, so that SIGTERM reaches the server.
ENTRYPOINT ["node", "--max-semi-space-size=2", "/opt/quire/node_modules/@quire/cli/dist/main.js"]
CMD ["start", "--config", "/etc/quire/quire.properties"]
