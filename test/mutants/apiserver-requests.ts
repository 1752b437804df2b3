import type { Mutant } from './mutant.ts'

const hostile = ['local/apiserver/testing/hostile.test.ts']
const dataFolder = ['local/data-folder/data-folder.test.ts']
const rights = ['local/apiserver/testing/rights.test.ts']

/** Defects in the embedded API server, requests: warnings, failures, volumes and patches. */
export const mutants: readonly Mutant[] = [
  {
    name: 'a warning is sent as it is',
    file: 'local/apiserver/verbs/warnings.ts',
    find: '"${toLatin1(text).',
    replace: '"${text.',
    tests: hostile,
    only: 'SEC2',
  },
  {
    name: 'warnings have no limit',
    file: 'local/apiserver/verbs/warnings.ts',
    find: '  if (over < 0) return texts\n',
    replace: '  if (over < 1e9) return texts\n',
    tests: hostile,
    only: 'SEC2',
  },
  {
    name: 'a failure to answer is an unhandled rejection',
    file: 'local/apiserver/wire/handler.ts',
    find: "      logFailure(services, { method: request.method ?? '', path: 'unanswered' }, error)\n      response.destroy()\n",
    replace: '      throw error\n',
    tests: hostile,
    only: 'last resort',
  },
  {
    name: 'unfinished requests have no timer',
    file: 'local/apiserver/wire/listener.ts',
    find: "    server.emit('listening')\n",
    replace: '',
    tests: hostile,
    only: 'F3',
  },
  {
    name: 'a key of a Secret leads upwards',
    file: 'local/apiserver/strategies/config-map-faults.ts',
    find: "  else if (key.startsWith('..'))",
    replace: "  else if (key.startsWith('..\\0'))",
    tests: rights,
    only: 'SEC11',
  },
  {
    name: 'a file of a volume is written where its key leads',
    file: 'local/workloads/volumes.ts',
    find: 'if (dirname(path) !== resolve(folder) || basename(path) !== name ||',
    replace: 'if (',
    tests: ['local/workloads/volumes.test.ts'],
  },
  {
    name: 'a link in place of a volume is followed',
    file: 'local/workloads/volumes.ts',
    find: ' || !lstatSync(folder).isDirectory())',
    replace: ')',
    tests: ['local/workloads/volumes.test.ts'],
  },
  {
    name: 'a JSON patch copies without a limit',
    file: 'local/apiserver/patch/json-patch.ts',
    find: 'if (root.copied > MAX_COPIED_BYTES)',
    replace: 'if (root.copied > 1e12)',
    tests: ['local/apiserver/patch/body-patch.test.ts'],
    only: 'SEC16',
  },
  {
    name: 'the embedded default takes the connections of the shell',
    file: 'local/own-environment.ts',
    find: 'filter(([name]) => !foreign.has(name))',
    replace: 'filter(([name]) => name.length > 0)',
    tests: dataFolder,
    only: 'SEC27',
  },
]
