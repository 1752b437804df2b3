import { Fail } from '#core/errors/domain-error.ts'
import { keyedPage } from '#core/http/store/store-list.ts'
import type { StoreListCall } from '#core/http/store/store-list.ts'
import { TextResponse } from '#core/http/reply/text-response.ts'
import { costErrors } from './contract/errors.ts'
import { toFocusCsv } from './export/focus.ts'
import { exportKeys, lineKeys, toLine } from './export/line.ts'
import { toStatementCsv } from './export/statement-csv.ts'
import type { Period } from './store/period.ts'
import { toTotals } from './query/totals.ts'
import type { CostServices } from './services.ts'
import { readGroups } from './store/read-cost.ts'
import type { CostAccess, GroupSums } from './store/read-cost.ts'
import type { CostTables } from './contract/tables.ts'

/** Options of a statement. */
export interface StatementOptions {
  readonly access: CostAccess
  readonly period: Period
}

/** Maximum number of rows of an export. */
export const MAX_ROWS = 20_000

/** One page of a statement: a line per namespace, agent or user, provider, model and operation. */
export async function readStatement(services: CostServices, call: StoreListCall, options: StatementOptions) {
  const { access, period } = options
  const db = services.store.reader<CostTables>()
  const { items, ...page } = await keyedPage(call, {
    // A cursor with other keys is refused.
    bound: { ...period, by: lineKeys },
    read: ({ limit, after }) => readGroups(db, access, { period, by: lineKeys, limit, after: after?.map(String) }),
    keyOf: ({ keys }) => keys,
  })
  const tenants = await tenantsOf(services, access, items, 0)
  return { ...page, items: items.map((item) => toStatementLine(item, tenants)) }
}

/** The whole statement by day and price, as CSV. Throws `export_too_large` above 20,000 rows. */
export async function exportStatement(
  services: CostServices,
  { access, period }: StatementOptions,
  format: 'csv' | 'focus',
): Promise<TextResponse> {
  const query = { period, by: exportKeys, limit: MAX_ROWS + 1 }
  const groups = await readGroups(services.store.reader<CostTables>(), access, query)
  if (groups.length > MAX_ROWS)
    throw new Fail(costErrors.export_too_large, `The export has more than ${MAX_ROWS} rows.`)
  const tenants = await tenantsOf(services, access, groups, 1)
  const lines = groups.map((group) => toLine(group, tenants))
  const csv = format === 'focus' ? toFocusCsv(lines, services.install) : toStatementCsv(lines)
  return new TextResponse('text/csv; charset=utf-8; header=present', csv)
}

async function tenantsOf(
  { tenants }: CostServices,
  access: CostAccess,
  groups: readonly GroupSums[],
  index: number,
): Promise<ReadonlyMap<string, string>> {
  const namespaces = [...new Set(groups.map(({ keys }) => keys[index] ?? ''))]
  return (await tenants?.tenantsOf(access, namespaces)) ?? new Map()
}

function toStatementLine({ keys, ...sums }: GroupSums, tenants: ReadonlyMap<string, string>) {
  const [namespace = '', namespaceUid, name = '', uid = '', subject, provider, model, operation = ''] = keys
  return {
    tenant: tenants.get(namespace) ?? null,
    namespace,
    namespaceUid: namespaceUid || null,
    agent: uid === '' ? null : { name, uid },
    subject: subject || null,
    provider: provider || null,
    model: model || null,
    operation,
    ...toTotals(sums),
  }
}
