import { cp, mkdtemp, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { composeHost } from '#core/host/process/compose-process.ts'
import { createLogger } from '#core/log/create-logger.ts'
import { plugins } from '#plugins/index.ts'
import { besideProgram } from './store-image.ts'

// `node prepare-store.js [IMAGE]`, an entry of the bundled program: migrates an empty store, a copy of IMAGE, and puts it beside the bundle.
// Later first starts copy it.
const beside = besideProgram()
const folder = await mkdtemp(join(dirname(beside), 'unfinished-store-'))
// A mesh.yaml of the working directory may name another database.
process.chdir(folder)
try {
  await migrateStore(join(folder, 'store'))
  await cp(join(folder, 'store', 'data'), join(folder, 'image'), { recursive: true })
  await rename(join(folder, 'image'), beside)
} finally {
  await rm(folder, { recursive: true, force: true })
}

async function migrateStore(dir: string): Promise<void> {
  const [image] = process.argv.slice(2)
  const composed = await composeHost({
    roles: ['migrate'],
    plugins,
    version: '0.0.0',
    env: { MESH_ADMIN_PORT: '0' },
    // `migrate` calls no API server.
    cluster: { server: 'http://127.0.0.1:1', tls: {}, bearerOf: () => undefined },
    embeddedStore: { dir, ...(image === undefined ? {} : { image }) },
    generateKeys: true,
    log: createLogger({ level: 'error' }),
  })
  await composed.host.start().finally(() => composed.close())
}
