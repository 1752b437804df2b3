import { mkdirSync } from 'node:fs'
import { composeHost } from '#core/host/process/compose-process.ts'
import type { ClusterLocation } from '#core/cluster/cluster-config.ts'
import { runProcess } from '#core/host/process/run-process.ts'
import { createLogger } from '#core/log/create-logger.ts'
import { startLocalCluster } from '#local/cluster/local-cluster.ts'
import { openDataFolder } from '#local/data-folder/data-folder.ts'
import { plugins } from '#plugins/index.ts'

// `node bff.ts FOLDER [SERVER CA]`: the BFF alone, on the embedded API server in the same process or on a given one, with the store and the
// bus of DATABASE_URL and NATS_URL, if set. Prints its address.
const [folder = '', server, ca] = process.argv.slice(2)
const stored = process.env['DATABASE_URL']
mkdirSync(folder, { recursive: true })
const cluster = server === undefined ? await embedded() : { location: given(server, ca), server, token: '' }
const composed = await composeHost({
  roles: ['bff'],
  plugins,
  env: stored === undefined ? {} : { DATABASE_URL: stored, NATS_URL: process.env['NATS_URL'] },
  presets: {
    keysDir: `${folder}/keys`,
    ...(stored === undefined ? { store: 'none' } : {}),
    listen: { host: '127.0.0.1', bff: 0, admin: 0, gateway: 0, state: 0 },
  },
  cluster: cluster.location,
  generateKeys: true,
  version: '0.0.0',
  log: createLogger({ level: 'error' }),
})
const start = async (): Promise<void> => {
  await composed.host.start()
  const { server: url, token } = cluster
  process.stdout.write(`${JSON.stringify({ url: composed.host.addresses().bff, server: url, token })}\n`)
}
process.exit(await runProcess({ ...composed, host: { ...composed.host, start } }, ['bff']))

async function embedded(): Promise<{ location: ClusterLocation; server: string; token: string }> {
  const { folder: data } = openDataFolder(folder, false)
  const log = (): void => undefined
  const readPodLog = (): never => {
    throw new Error('no pods here')
  }
  const started = await startLocalCluster({ folder: data, apiUrl: '', readPodLog, log, plugins })
  await started.install(plugins)
  const { location, server: api, tokens } = started
  return { location, server: api.url, token: tokens.admin }
}

function given(url: string, pem = ''): ClusterLocation {
  return { server: url, tls: { ca: pem }, bearerOf: () => undefined }
}
