import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { requireServer } from './find-server.ts'
import { freePort } from './free-port.ts'
import type { Scope } from './scope.ts'
import { acceptsTcp, startProcess, untilReady } from './server-process.ts'
import { tempFolder } from './temp-folder.ts'

/** An S3 server on a temporary folder, and the keys that it accepts. */
export interface S3Server {
  readonly url: string
  readonly accessKey: string
  readonly secretKey: string
  /** Folder with one folder per bucket. */
  readonly folder: string
  stop(): Promise<void>
  kill9(): Promise<void>
}

/** Starts the S3 server with empty buckets of the given names. */
export async function startS3(t: Scope, options: { buckets?: readonly string[] } = {}): Promise<S3Server> {
  const program = requireServer(t, 'versitygw')
  const folder = tempFolder('s3')
  const objects = join(folder.path, 'objects')
  mkdirSync(objects)
  for (const bucket of options.buckets ?? ['mesh-fixtures']) mkdirSync(join(objects, bucket))
  const port = await freePort()
  const keys = { accessKey: 'test-access', secretKey: 'test-secret' }
  const server = startProcess({
    program,
    args: ['--port', `127.0.0.1:${port}`, 'posix', '--sidecar', sidecar(folder.path), objects],
    env: { ROOT_ACCESS_KEY: keys.accessKey, ROOT_SECRET_KEY: keys.secretKey },
    log: join(folder.path, 's3.log'),
  })
  t.after(async () => {
    await server.end('SIGKILL')
    folder.remove()
  })
  await untilReady(server, () => acceptsTcp(port))
  return {
    url: `http://127.0.0.1:${port}`,
    ...keys,
    folder: objects,
    stop: () => server.end('SIGTERM'),
    kill9: () => server.end('SIGKILL'),
  }
}

// Metadata in a folder beside the objects, since many temporary file systems lack extended attributes.
function sidecar(folder: string): string {
  const path = join(folder, 'metadata')
  mkdirSync(path)
  return path
}
