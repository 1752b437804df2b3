import type { TestContext } from 'node:test'
import { needs } from '#test/harness/find-server.ts'
import { startS3 } from '#test/harness/s3.ts'
import type { S3Server } from '#test/harness/s3.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import type { Scope } from '#test/harness/scope.ts'
import { createFolderStore } from '../folder-store.ts'
import type { ObjectStore } from '../object-store.ts'
import type { ObjectStoreAdapter } from '../object-store.contract.ts'
import { parseS3Settings } from '../s3-address.ts'
import { openS3Store } from '../s3-store.ts'
import type { S3Options } from '../s3-store.ts'

/** Every adapter of the object store. */
export function objectStores(): readonly ObjectStoreAdapter[] {
  return [
    { name: 'folder', skip: false, open: openFolder },
    { name: 's3', skip: needs('versitygw').skip, open: async (t) => openS3(t, await startS3(t)) },
  ]
}

async function openFolder(t: TestContext): Promise<ObjectStore> {
  const folder = tempFolder('objects')
  t.after(() => folder.remove())
  return createFolderStore(folder.path)
}

/** Opens the bucket of a server. */
export function openS3(t: Scope, server: Pick<S3Server, 'url' | 'accessKey' | 'secretKey'>, options: S3Options = {}) {
  const { url, accessKey, secretKey } = server
  const own = { addr: url.replace('http://', ''), bucket: 'mesh-fixtures', region: 'us-east-1', tls: false }
  const store = openS3Store(parseS3Settings({ ...own, accessKey, secretKey }), options)
  t.after(() => store.close())
  return store
}
