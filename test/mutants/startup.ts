import type { Mutant } from './mutant.ts'

/** Defects in settings, start-up messages and the embedded default's start. */
export const mutants: readonly Mutant[] = [
  {
    name: 'mesh.yaml of the working folder is not read',
    file: 'core/config/find-file.ts',
    find: '  if (exists(file)) return file\n',
    replace: '',
    tests: ['core/config/settings.test.ts'],
    only: 'UXH2',
  },
  {
    name: 'mesh.yaml of the working folder wins over MESH_CONFIG',
    file: 'core/config/find-file.ts',
    find: "if (named !== '') return named",
    replace: "if (named !== '' && !exists(join(folder, settingsFileName))) return named",
    tests: ['core/config/settings.test.ts'],
    only: 'UXH2',
  },
  {
    name: 'a wrong setting quotes its value, whatever it is',
    file: 'core/config/explain.ts',
    find: "if (type === 'string' && typeof given !== 'string') return 'must be text'",
    replace: "if (type === 'string' && typeof given !== 'string') return `must be text, not ${String(given)}`",
    tests: ['core/config/settings.test.ts'],
    only: 'PODA24',
  },
  {
    name: 'an unknown name under disable is accepted',
    file: 'core/config/settings.ts',
    find: 'if (names.includes(name)) continue',
    replace: 'if (names.length > 0) continue',
    tests: ['core/config/settings.test.ts'],
    only: 'PODA24',
  },
  {
    name: 'the message of a database that is away has its whole URL',
    file: 'core/store/store-failure.ts',
    find: "return `${setting}: ${host}:${port === '' ? '5432' : port}`",
    replace: 'return `${setting}: ${host}:${port} ${url}`',
    tests: ['core/store/store-failure.test.ts'],
    only: 'PODA24',
  },
  {
    name: 'a text that is no URL is taken for a database',
    file: 'core/store/database.ts',
    find: '  refuseBadUrl(address)\n',
    replace: '',
    tests: ['core/store/store-failure.test.ts'],
    only: 'PODA24',
  },
  {
    name: 'an error of the NATS client is an unexpected one',
    file: 'core/events/nats-bus.ts',
    find: "throw new Fail('bus_unavailable', undefined, { cause: error })",
    replace: 'throw error',
    tests: ['core/events/bus.test.ts'],
    only: 'PODA20',
  },
]
