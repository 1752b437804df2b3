import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { parseAllDocuments } from 'yaml'
import { reservedPorts } from '#schemas/launcher/launcher-ports.ts'
import type { ReservedPort } from '#schemas/launcher/launcher-ports.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const pages = [
  'README.md',
  'examples/README.md',
  ...globSync(['docs/*.md', 'docs/how-to/*.md', 'docs/tutorials/*.md'], { cwd: root }),
].map((path) => ({ path, text: read(path) }))
const commandsIn = (text: string): string =>
  [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, body]) => body ?? '').join('\n')
// Pages for operators of a cluster: their kubectl and database are their own.
const ofOperators = new Set(['upgrade.md', 'rotate-keys.md', 'back-up-and-restore.md'])

test('R2-UX-4: a page that uses the platform begins with the prelude, and no page names a port of it', () => {
  for (const { path, text } of pages) {
    assert.doesNotMatch(text, /(?:localhost|127\.0\.0\.1):8080/, path)
    if (ofOperators.has(basename(path))) continue
    const commands = commandsIn(text)
    const used = /\$\{?(?:URL|TOKEN|GATEWAY_URL|API)\b|^(?:\w+=\$\()?(?:api|kubectl) /m.exec(commands)
    const prelude = commands.search(/^eval "\$\(npx mesh env --as [\w-]+\)"$/m)
    assert.ok(used === null || (prelude !== -1 && prelude < used.index), `${path} uses ${used?.[0]} before its prelude`)
  }
})

test('R2-UX-4: a test runs the commands of every how-to with commands', () => {
  const tests = globSync('test/**/*.test.ts', { cwd: root }).map(read)
  const pods = globSync('test/pods/*.ts', { cwd: root }).map(read)
  for (const { path, text } of pages) {
    if (commandsIn(text) === '') continue
    const name = basename(path)
    assert.ok(
      [...tests, ...pods].some((source) => source.includes(name)),
      `no test names ${path}`,
    )
  }
})

// Blocks of YAML, and what a here-document gives to kubectl or to the API.
function objectsOf(text: string): readonly string[] {
  const blocks = [...text.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, body]) => body ?? '')
  const given = [...commandsIn(text).matchAll(/<<'?(\w+)'?\n([\s\S]*?)^\1$/gm)].map(([, , body]) => body ?? '')
  return [...blocks, ...given].flatMap((source) =>
    parseAllDocuments(source, { logLevel: 'silent' }).flatMap((document) => {
      const object: unknown = document.errors.length > 0 ? undefined : document.toJS()
      return keyOf((object ?? {}) as Named)
    }),
  )
}

interface Named {
  readonly kind?: string
  readonly name?: string
  readonly namespace?: string
  readonly metadata?: { readonly name?: string; readonly namespace?: string }
}

function keyOf({ kind = 'AgentDeployment', name, namespace, metadata }: Named): readonly string[] {
  const own = metadata?.name ?? name
  return typeof own === 'string' ? [`${kind} ${metadata?.namespace ?? namespace ?? 'default'}/${own}`] : []
}

test('R2-UX-23: an example of one page does not have the name of an example of another page', () => {
  const owners = new Map<string, string>()
  for (const { path, text } of pages)
    for (const key of new Set(objectsOf(text))) {
      assert.equal(owners.get(key), undefined, `${key} is in ${owners.get(key)} and in ${path}`)
      owners.set(key, path)
    }
  assert.ok(owners.has('GuardrailPolicy default/staff') && owners.has('AgentDeployment team-a/thrifty'))
})

test('R2-UX-17: the table of variables has every port that an agent may call', () => {
  const page = read('docs/how-to/write-an-agent.md')
  const rows: readonly ReservedPort[] = Object.values(reservedPorts)
  const listed = new Set([...page.matchAll(/^\| `([A-Z0-9_]+)`/gm)].map(([, name = '']) => name))
  for (const { env, bind } of rows) if (bind === 'loopback' && !env.startsWith('MESH_')) assert.ok(listed.has(env), env)
  for (const name of ['AGENT_PORT', 'MEMORY_PORT', 'DISCOVERY_PORT', 'MODEL_GATEWAY_URL'])
    assert.ok(listed.has(name), name)
})
