import assert from 'node:assert/strict'
import { chmodSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { openGuide } from './pods/guide.ts'

const programs = ['kubectl', 'pg_dump', 'pg_restore', 'psql']

// With an empty URL psql takes a database of its own machine, and the page drops what its user owns there.
test('R2-CL-1: backup and restore by the page do nothing without the address of the database', async (t) => {
  const tools = tempFolder('backup')
  t.after(tools.remove)
  const calls = join(tools.path, 'calls')
  for (const program of programs) {
    const file = join(tools.path, program)
    writeFileSync(file, `#!/bin/bash\necho "${program} $*" >> '${calls}'\n`)
    chmodSync(file, 0o755)
  }
  const PATH = `${tools.path}:${process.env['PATH'] ?? ''}`
  const guide = openGuide(t, { PATH, DATABASE_URL: '' })
  for (const section of ['Backup', 'Restore']) {
    await assert.rejects(guide.run(section), new RegExp(`${section} exited with 1`))
    assert.ok(!existsSync(calls), section)
  }
  await guide.with({ PATH, DATABASE_URL: 'postgres://mesh@db/mesh' }).run('Backup')
  assert.ok(existsSync(calls))
})
