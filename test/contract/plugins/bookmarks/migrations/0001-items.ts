import type { Kysely } from '@mesh.dev/mesh/plugin'

export const breaking = false

/** Bookmarks of namespaces. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('x_bookmarks_items')
    .addColumn('namespace', 'text', (column) => column.notNull())
    .addColumn('namespace_uid', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('labels', 'jsonb', (column) => column.notNull())
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'timestamptz', (column) => column.notNull())
    .addPrimaryKeyConstraint('x_bookmarks_items_key', ['namespace_uid', 'name'])
    .execute()
  await db.schema
    .createIndex('x_bookmarks_items_newest')
    .on('x_bookmarks_items')
    .columns(['namespace', 'created_at', 'name'])
    .execute()
}
