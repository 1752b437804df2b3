import type { Mutant } from './mutant.ts'

const audit = ['plugins/audit/audit.test.ts']

/** Defects in audit: one change, one row; nothing lost uncounted; nothing written that is not allowed. */
export const mutants: readonly Mutant[] = [
  {
    name: 'an exact caller is replaced by another exact one',
    file: 'plugins/audit/store/write.ts',
    find: 'where audit_keys.key = given.key and not audit_keys.exact',
    replace: 'where audit_keys.key = given.key',
    tests: audit,
  },
  {
    name: 'a guess replaces the exact caller of the same batch',
    file: 'plugins/audit/rows.ts',
    find: '[before, row].find((one) => one.exact) ?? before',
    replace: '[row, before][0] ?? before',
    tests: audit,
  },
  {
    name: 'updates of one object are one row',
    file: 'plugins/audit/rows.ts',
    find: "return action === 'update' ? `update/${uid}/${resourceVersion}` : `${action}/${uid}`",
    replace: "return resourceVersion === '\\0' ? '' : `${action}/${uid}`",
    tests: audit,
  },
  {
    name: 'each denial is a row of its own',
    file: 'plugins/audit/rows.ts',
    find: "const own = outcome === 'denied' ? denialKey(event, action) : eventKey(event)",
    replace: 'const own = eventKey(event)',
    tests: audit,
  },
  {
    name: 'a replayed denial counts again',
    file: 'plugins/audit/store/write.ts',
    find: "return rows.filter((row) => row.outcome !== 'denied' || fresh.has(row.eventKey))",
    replace: 'return fresh.size < 0 ? [] : rows',
    tests: audit,
  },
  {
    name: 'retention keeps the older rows of the boundary day',
    file: 'plugins/audit/store/days.ts',
    find: '    where occurred_at < clock_timestamp() - make_interval(days => ${days})`.execute(tx)\n  await sql`delete from audit_keys',
    replace:
      '    where occurred_at < clock_timestamp() - make_interval(days => ${days * 2})`.execute(tx)\n  await sql`delete from audit_keys',
    tests: audit,
  },
  {
    name: 'retention drops a day too many',
    file: 'plugins/audit/store/days.ts',
    find: "'YYYYMMDD') + 1)::timestamp",
    replace: "'YYYYMMDD') - 1)::timestamp",
    tests: audit,
  },
]
