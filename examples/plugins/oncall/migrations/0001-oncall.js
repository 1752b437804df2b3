import { sql } from '@mesh.dev/mesh/plugin'

export const breaking = false

export async function up(db) {
  await sql`create table x_oncall_rotas (namespace text, name text, webhook text not null, people text[] not null,
    primary key (namespace, name))`.execute(db)
  await sql`create table x_oncall_pages (namespace text not null, rota text, run text, person text not null, step integer not null,
    paged_at timestamptz not null, primary key (run, rota))`.execute(db)
}
