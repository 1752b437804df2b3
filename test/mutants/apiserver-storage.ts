import type { Mutant } from './mutant.ts'

const differential = ['test/contract/apiserver/differential.test.ts']
const server = ['local/apiserver/testing/server.test.ts']
const fullDisk = ['local/apiserver/testing/full-disk.test.ts']
const dataFolder = ['local/data-folder/data-folder.test.ts']
const lock = ['core/database/lock-file.test.ts']

/** Defects in the embedded API server, versions, durability and data folder. */
export const mutants: readonly Mutant[] = [
  {
    name: 'an old version may be written',
    file: 'local/apiserver/rules/preconditions.ts',
    find: '    throw conflict(kind, old.metadata.name, MODIFIED)\n',
    replace: '    if (resourceVersion.length > 15) throw conflict(kind, old.metadata.name, MODIFIED)\n',
    tests: differential,
  },
  {
    name: 'a dry run is written',
    file: 'local/apiserver/verbs/write.ts',
    find: '  if (options.dryRun) return { code: 200,',
    replace: '  if (options.dryRun && kind.custom) return { code: 200,',
    tests: differential,
  },
  {
    name: 'a page is not of one snapshot',
    file: 'local/apiserver/storage/store.ts',
    find: 'if (!change || change.rv <= rv) break',
    replace: 'if (!change || change.rv > 0) break',
    tests: ['local/apiserver/storage/store.test.ts', ...server],
  },
  {
    name: 'an answer to an update does not wait for the disk',
    file: 'local/apiserver/verbs/write.ts',
    find: '  await written?.durable\n',
    replace: '',
    tests: ['local/apiserver/testing/durable.test.ts'],
  },
  {
    name: 'an answer to a create does not wait for the disk',
    file: 'local/apiserver/verbs/write.ts',
    find: '  await written.durable\n',
    replace: '',
    tests: ['local/apiserver/testing/durable.test.ts'],
  },
  {
    name: 'an answer to a delete does not wait for the disk',
    file: 'local/apiserver/verbs/delete.ts',
    find: '  await done.durable\n',
    replace: '',
    tests: ['local/apiserver/testing/durable.test.ts'],
  },
  {
    name: 'a read shows what is not on the disk',
    file: 'local/apiserver/wire/serve-resource.ts',
    find: 'if (await store.settled()) return result',
    replace: 'if (store.revision >= 0) return result',
    tests: ['local/apiserver/testing/durable.test.ts'],
  },
  {
    name: 'a watch misses what it should replay',
    file: 'local/apiserver/storage/store.ts',
    find: 'history.findLastIndex((change) => change.rv <= rv) + 1',
    replace: 'history.findLastIndex((change) => change.rv <= rv) + 2',
    tests: differential,
  },
  {
    name: 'a refused change stays in memory',
    file: 'local/apiserver/storage/store.ts',
    find: 'of pending.toReversed()) {',
    replace: 'of pending.slice(0, 0)) {',
    tests: fullDisk,
  },
  {
    name: 'half a record stays in the journal',
    file: 'local/apiserver/storage/journal.ts',
    find: '    if (handle) await cut(handle).catch(() => undefined)\n',
    replace: '    torn = false\n',
    tests: fullDisk,
  },
  {
    name: 'a foreign folder is taken for the data folder',
    file: 'local/data-folder/data-folder.ts',
    find: 'if (found.length === 0 || found.some',
    replace: 'if (found.length >= 0 || found.some',
    tests: dataFolder,
    only: 'SEC23',
  },
  {
    name: 'files of the store are open to all',
    file: 'core/database/pglite-data-dir.ts',
    find: '  await makePrivate(data)\n  return pglite\n',
    replace: '  return pglite\n',
    tests: dataFolder,
    only: 'SEC23',
  },
  {
    name: 'a dead lock is removed although another process replaced it',
    file: 'core/database/lock-file.ts',
    find: 'if (contentOf(file) === found) rmSync(file',
    replace: 'if (found !== undefined) rmSync(file',
    tests: lock,
    only: 'several processes',
  },
  {
    name: 'the lock of an outer folder is not read',
    file: 'core/database/lock-file.ts',
    find: 'for (const lock of enclosing(path)) refuseLive(lock)',
    replace: 'for (const lock of []) refuseLive(lock)',
    tests: lock,
    only: 'both directions',
  },
]
