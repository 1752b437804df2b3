import type { ListPage } from '#cli/contract/api-client.ts'
import type { Printer, ResourceTable } from '#cli/contract/resource-table.ts'
import { toSafeJson, toSafeText } from '#cli/contract/safe-text.ts'
import { toTableText } from './write-table.ts'
import type { TableTarget } from './write-table.ts'

/** The formats of `--output`. */
export const outputFormats = ['table', 'wide', 'json', 'yaml', 'name'] as const

/** A format of `--output`. */
export type OutputFormat = (typeof outputFormats)[number]

/** Where a printer writes. */
export interface PrintTarget extends TableTarget {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
}

/** Creates the printer of a format. Only `table` and `wide` depend on the terminal. */
export function createPrinter(format: OutputFormat, target: PrintTarget): Printer {
  return {
    list: async (table, page) => {
      target.out(await toText(format, table, { rows: page.items, whole: page }, target))
      note(page, format, target)
    },
    one: async (table, row) => target.out(await toText(format, table, { rows: [row], whole: row }, target)),
  }
}

interface Printed<Row> {
  readonly rows: readonly Row[]
  /** What JSON and YAML have. */
  readonly whole: unknown
}

async function toText<Row>(
  format: OutputFormat,
  table: ResourceTable<Row>,
  { rows, whole }: Printed<Row>,
  target: TableTarget,
): Promise<string> {
  const names = rows.map((row) => nameOf(table, row))
  if (format === 'json') return `${toSafeJson(JSON.stringify(whole, undefined, 2))}\n`
  if (format === 'yaml') return (await import('#cli/contract/to-yaml.ts')).toYaml(whole)
  if (format === 'name') return names.map((name) => `${toSafeText(name)}\n`).join('')
  if (rows.length === 0) return ''
  return toTableText(table, rows, { ...target, wide: format === 'wide' })
}

// A row without what names it is not of the API, in any format. An object may have the name `undefined`.
function nameOf<Row>(table: ResourceTable<Row>, row: Row): string {
  const name = table.name(row)
  const isNamed = !/(?:^|\/)(?:undefined|\[object Object\])(?:\/|$)/.test(name)
  if (!isNamed && !JSON.stringify(row).includes('"undefined"')) throw new TypeError(`the row has no name: ${name}`)
  return name
}

// Documents have the cursor themselves.
function note({ items, nextCursor }: ListPage<unknown>, format: OutputFormat, { err, isTerminal }: PrintTarget): void {
  if (format === 'json' || format === 'yaml') return
  if (items.length === 0 && isTerminal) err('Nothing was found.\n')
  if (nextCursor !== null) err(`These are the first ${items.length}; --limit shows more.\n`)
}
