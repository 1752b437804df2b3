import { subscribe } from 'node:diagnostics_channel'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'

// Preloaded into every process of a whole run, also into those of an older Node, which cannot load TypeScript: what reads responses is
// loaded with the first one. Each field is appended immediately, as processes may be killed.
const folder = process.env.MESH_TEST_FIELDS
if (folder !== undefined) {
  const file = join(folder, `${process.pid}.txt`)
  const noted = new Set()
  const note = async (response) => {
    const { fieldsWithValues } = await import('./response-fields.ts')
    const fields = fieldsWithValues(response).filter((field) => !noted.has(field))
    for (const field of fields) noted.add(field)
    if (fields.length > 0) appendFileSync(file, `${fields.join('\n')}\n`)
  }
  subscribe('mesh.http.response', (response) => void note(response))
}
