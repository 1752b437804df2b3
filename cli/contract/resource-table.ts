import type { ListPage } from './api-client.ts'

/** A cell. A date is an age on a terminal, and RFC 3339 elsewhere. */
export type CellValue = string | number | boolean | Date | null | undefined

/** How a resource is printed. */
export interface ResourceTable<Row> {
  /** The line of `--output name`. */
  readonly name: (row: Row) => string
  /** Cells by title. */
  readonly columns: Readonly<Record<string, (row: Row) => CellValue>>
  /** Further columns of `--output wide`. */
  readonly wide?: Readonly<Record<string, (row: Row) => CellValue>>
}

/** Writes results to standard output in the format of `--output`. */
export interface Printer {
  list<Row>(table: ResourceTable<Row>, page: ListPage<Row>): Promise<void>
  one<Row>(table: ResourceTable<Row>, row: Row): Promise<void>
}
