import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { commandsOf } from '../flows/readme.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const page = join(root, 'docs/how-to/use-a-client.md')

// What `npm run test:clients` installs, and the page names.
const tools = read('test/clients/tools/package.json')
const go = read('test/clients/programs/go/go.mod')
const npm: unknown = JSON.parse(tools)
const python = read('test/clients/tools/requirements.txt')

function pinOf(name: string): string | undefined {
  const { dependencies } = npm as { dependencies: Readonly<Record<string, string>> }
  const module = name.replace('/cmd/oapi-codegen', '')
  const inGo = new RegExp(`^(?:require )?\\s*${module} (v\\S+)`, 'm').exec(go)?.[1]
  const inPython = new RegExp(`^${name}==(\\S+)$`, 'm').exec(python)?.[1]
  return dependencies[name] ?? inGo ?? inPython
}

test('R2-UX-24: docs/how-to/use-a-client.md installs the versions that npm run test:clients has tried', () => {
  for (const [language, count] of Object.entries({ Python: 1, TypeScript: 5, Go: 2 })) {
    const text = commandsOf(page, language).join('\n').split("<<'EOF'")[0] ?? ''
    const named = [...text.matchAll(/(?<= )(@?[\w./-]+)(?:==|@)(v?\d[\w.]*)/g)]
    assert.equal(named.length, count, text)
    for (const [, name = '', version = ''] of named) {
      const pin = pinOf(name)
      assert.ok(pin === version || pin?.startsWith(`${version}.`), `${name} ${version}, tried ${pin}`)
    }
  }
})
