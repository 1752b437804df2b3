import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { parse } from 'yaml'
import { servedNames } from './served.ts'
import type { ServedNames } from './served.ts'

type Entry = string | number | { readonly name: string; readonly unbuilt: true }

const file = new URL('./names.yaml', import.meta.url)
const sections = Object.entries(parse(readFileSync(file, 'utf8')) as Readonly<Record<string, readonly Entry[]>>)

// Marks that each section may have. A number may only shrink: a part that is built removes its marks.
const unbuilt: Readonly<Record<string, number>> = {
  Agents: 1,
  'Tools and MCP': 0,
  'Platform resources': 20,
  Datasets: 6,
  'Traces, cost, feedback': 1,
  Settings: 1,
  Commands: 0,
  'Exit codes': 0,
}

// Sections that are not routes of the API, with the part of the platform that serves their names.
const parts: Readonly<Record<string, readonly (keyof ServedNames)[]>> = {
  'Launcher routes': ['launcher'],
  'Query parameters': ['api', 'launcher'],
  Headers: ['headers'],
  'Audit page': ['auditPage'],
  'Audit fields': ['auditFields'],
  Ports: ['ports'],
  'Environment of agents': ['agentVariables'],
  Settings: ['settings'],
  Commands: ['commands'],
  'Exit codes': ['exitCodes'],
  'Error codes': ['errors', 'api', 'launcher'],
  Limits: ['limits'],
  Metrics: ['metrics'],
}

const nameOf = (entry: Entry): string => (typeof entry === 'object' ? entry.name : String(entry))

test('the published interface is served under its names, and marks of unbuilt names only shrink', async (t) => {
  const served = await servedNames()
  for (const [title, entries] of sections)
    await t.test(title, () => {
      const names = (parts[title] ?? ['api']).map((part) => served[part])
      const isServed = (entry: Entry): boolean => names.some((set) => set.has(written(title, nameOf(entry))))
      const marked = entries.filter((entry) => typeof entry === 'object')
      const plain = entries.filter((entry) => typeof entry !== 'object')
      assert.deepEqual(plain.filter((entry) => !isServed(entry)).map(nameOf), [], 'missing or renamed, and not marked')
      assert.deepEqual(marked.filter(isServed).map(nameOf), [], 'served: remove the mark')
      assert.ok(marked.length <= (unbuilt[title] ?? 0), `${marked.length} marks; this number may only shrink`)
    })
})

test('the list of interface names is whole: 146 routes, each name once, known sections only', () => {
  const routes = sections.filter(([title]) => !(title in parts)).flatMap(([, entries]) => entries.map(nameOf))
  assert.equal(routes.length, 146)
  for (const [title, entries] of sections) {
    const names = entries.map(nameOf)
    assert.deepEqual(names, [...new Set(names)], title)
  }
  const titles = new Set(sections.map(([title]) => title))
  assert.deepEqual(
    [...Object.keys(parts), ...Object.keys(unbuilt)].filter((title) => !titles.has(title)),
    [],
  )
})

// Names of headers have no case; the platform writes them in lowercase.
function written(title: string, name: string): string {
  return title === 'Headers' ? name.toLowerCase() : name
}
