import type { Mutant } from './mutant.ts'

const boot = ['core/host/load/boot-checks.test.ts']
const store = ['core/event-store/store.test.ts']

/** Defects in the checks of plugins at start, and in the reader of the store. */
export const mutants: readonly Mutant[] = [
  {
    name: 'two projections share a table',
    file: 'core/host/load/check-projections.ts',
    find: "  refuseShared(declared, 'the table of a projection', ({ tables }) => tables)\n",
    replace: '',
    tests: boot,
    only: 'CON5',
  },
  {
    name: 'a third party claims the table of another plugin',
    file: 'core/host/load/check-projections.ts',
    find: 'const foreign = thirdParty.has(plugin)',
    replace: 'const foreign = thirdParty.has(owner)',
    tests: boot,
    only: 'CON5',
  },
  {
    name: 'two consumers have one name',
    file: 'core/host/role/declare-work.ts',
    find: "  refuseShared([...own, ...ofStored, ...declared], 'the consumer', nameOf)\n",
    replace: '',
    tests: boot,
    only: 'CON6',
  },
  {
    name: 'a job has the lease of the relay',
    file: 'core/host/role/declare-work.ts',
    find: 'const own = [{ name: relayName }, { name: missedDeletions }',
    replace: 'const own = [{ name: missedDeletions }',
    tests: boot,
    only: 'CON6',
  },
  {
    name: 'a contribution to an unknown point is ignored',
    file: 'core/host/load/role-container.ts',
    find: '  refuseUnownedPoints(declared, pointNames(plugins))\n',
    replace: '',
    tests: boot,
    only: 'CON6',
  },
  {
    name: 'two plugins have an error of one code',
    file: 'core/host/load/check-plugins.ts',
    find: "  refuseShared(errors, 'the error', Object.keys)\n",
    replace: '',
    tests: boot,
    only: 'error code',
  },
  {
    name: 'an event that no plugin declares is appended',
    file: 'core/event-store/validate-event.ts',
    find: 'const type = types === undefined ? event.type : types.get(event.type.type)',
    replace: 'const type = types?.get(event.type.type) ?? event.type',
    tests: store,
    only: 'PGlite: CON7',
  },
  {
    name: 'the store of a role takes every event',
    file: 'core/host/platform/platform-store.ts',
    find: '    eventTypes,\n    log,',
    replace: '    log,',
    tests: ['core/host/platform/platform-store.test.ts'],
    only: 'CON7',
  },
  {
    name: 'connections of PostgreSQL write without a transaction',
    file: 'core/database/session/postgres.ts',
    find: ' -c ${READ_ONLY_SESSION}=on',
    replace: '',
    tests: store,
    only: 'PostgreSQL: CON10',
  },
  {
    name: 'the reader writes a single statement',
    file: 'core/database/session/store-connection.ts',
    find: "this.#access === 'read' || isRead(query)",
    replace: 'isRead(query)',
    tests: store,
    only: 'PGlite: CON10',
  },
  {
    name: 'a transaction of the reader writes',
    file: 'core/database/session/driver.ts',
    find: "(this.#access === 'write' ? 'read write' : 'read only')",
    replace: "'read write'",
    tests: store,
    only: 'PGlite: CON10',
  },
]
