import { sql } from '@mesh.dev/mesh/plugin'

export const breaking = false

export const up = (db) =>
  sql`create table x_oncall_pages (namespace text not null, rota text, run text, person text not null,
    step integer not null, paged_at timestamptz not null, primary key (run, rota))`.execute(db)
