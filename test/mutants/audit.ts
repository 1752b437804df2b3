import type { Mutant } from './mutant.ts'

const audit = ['plugins/audit/audit.test.ts']

/** Defects in audit: one change, one row; nothing lost uncounted; nothing written that is not allowed. */
export const mutants: readonly Mutant[] = [
  {
    name: 'an exact caller is replaced by another exact one',
    file: 'plugins/audit/store/write.ts',
    find: 'where audit_keys.id = given.id and not audit_keys.exact',
    replace: 'where audit_keys.id = given.id',
    tests: audit,
    only: 'A4: an exact',
  },
  {
    name: 'a guess replaces the exact caller of the same batch',
    file: 'plugins/audit/rows.ts',
    find: '[before, row].find((one) => one.exact) ?? before',
    replace: '[row, before][0] ?? before',
    tests: audit,
    only: 'A4',
  },
  {
    name: 'updates of one object are one row',
    file: 'plugins/audit/rows.ts',
    find: "return action === 'update' ? `update/${uid}/${resourceVersion}` : `${action}/${uid}`",
    replace: "return resourceVersion === '\\0' ? '' : `${action}/${uid}`",
    tests: audit,
    only: 'A4: an exact',
  },
  {
    name: 'each denial is a row of its own',
    file: 'plugins/audit/rows.ts',
    find: "const own = outcome === 'denied' ? denialKey(event, action) : eventKey(event)",
    replace: 'const own = eventKey(event)',
    tests: audit,
    only: 'denials',
  },
  {
    name: 'a replayed denial counts again',
    file: 'plugins/audit/store/write.ts',
    find: 'return rows.filter((row) => !isCounted(row) || fresh.has(idOf(row.eventKey)))',
    replace: 'return fresh.size < 0 ? [] : rows',
    tests: audit,
    only: 'denials|A4',
  },
  {
    name: 'the older rows of the boundary day are read',
    file: 'plugins/audit/store/read.ts',
    find: 'make_interval(days => ${page.retentionDays})',
    replace: 'make_interval(days => ${page.retentionDays + 1})',
    tests: audit,
    only: 'retention',
  },
  {
    name: 'retention drops a day too many',
    file: 'plugins/audit/store/prune.ts',
    find: 'if (before > cutoff) break',
    replace: 'if (before.getTime() > cutoff.getTime() + 86_400_000) break',
    tests: audit,
    only: 'retention',
  },
  {
    name: 'an object of the same name stands for one that came and went unwatched',
    file: 'core/cluster/departed.ts',
    find: '.metadata.uid === uid',
    replace: ".metadata.uid !== ''",
    tests: ['plugins/audit/callers.test.ts'],
    only: 'while no manager watched',
  },
  {
    name: 'a key of an older generation is not seen',
    file: 'plugins/audit/store/write.ts',
    find: 'and older.generation < ${generation}::int',
    replace: 'and older.generation > ${generation}::int',
    tests: ['plugins/audit/store/generations.test.ts'],
  },
  {
    name: 'a generation begins while writers are under way',
    file: 'plugins/audit/store/generations.ts',
    find: '  await lockWriters(tx)\n',
    replace: '',
    tests: ['plugins/audit/store/generations.test.ts'],
  },
  {
    name: 'keys go before their events',
    file: 'plugins/audit/store/generations.ts',
    find: 'and not exists (select from events where position <= last_position)',
    replace: '',
    tests: ['plugins/audit/store/generations.test.ts'],
  },
]
