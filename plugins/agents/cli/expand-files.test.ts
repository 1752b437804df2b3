import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import type { TestContext } from 'node:test'
import * as fc from 'fast-check'
import { parse, parseAllDocuments } from 'yaml'
import { runCli } from '#cli/testing/run-cli.ts'
import { toYaml } from '#cli/contract/to-yaml.ts'
import { applyShipped } from '#test/harness/deploy.ts'
import { kubectl } from '#test/harness/kubectl.ts'
import { sharedKube } from '#test/harness/kube.ts'
import { expandAgentFile } from '#schemas/agent-file/expand-agent-file.ts'

const EXAMPLES = new URL('../../../examples', import.meta.url).pathname
const files = readdirSync(EXAMPLES)
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => join(EXAMPLES, name))
const agent = (name: string) => `name: ${name}\nmodel: {route: mock}\n`

function folder(t: TestContext) {
  const path = mkdtempSync(join(tmpdir(), 'expand-'))
  t.after(() => rmSync(path, { recursive: true }))
  return (name: string, content: string | Uint8Array) => {
    writeFileSync(join(path, name), content)
    return join(path, name)
  }
}

test('meshctl expand prints the objects of every file and of standard input, always the same bytes', async () => {
  const printed = await runCli(['expand', ...files, '-'], { stdin: agent('from-stdin') })
  assert.deepEqual([printed.code, printed.err], [0, ''])
  const documents = parseAllDocuments(printed.out).map((document) => document.toJS() as unknown)
  const expected = [...files.map((file) => readFileSync(file, 'utf8')), agent('from-stdin')]
  assert.deepEqual(
    documents,
    expected.flatMap((source) => expandAgentFile(source).documents),
  )
  const again = await runCli(['expand', ...files, '-'], { stdin: agent('from-stdin') })
  assert.equal(again.out, printed.out)
})

test('a prompt block is printed as a PromptVersion, and standard error says where it can go', async () => {
  const stdin = `${agent('greeter')}prompt: {name: greet, text: Hi}\n`
  const { code, out, err } = await runCli(['expand', '-'], { stdin })
  assert.equal(code, 0)
  assert.match(out, /^---\napiVersion: \S+\nkind: PromptVersion\nmetadata:\n  name: greet\nspec:\n  text: Hi\n$/m)
  assert.match(err, /^The PromptVersion greet is no object of the cluster: .*POST \/api\/promptversions/)
})

test('the objects of the examples, and strings that YAML 1.1 reads as other types, are applied by kubectl', async (t) => {
  const kube = await sharedKube(t)
  await applyShipped(kube)
  const config = kube.kubeconfig(kube.tokens['admin'] ?? '')
  const strings = [
    'yes',
    'n',
    'null',
    '~',
    '0o7',
    '0x1F',
    '1_000',
    '12:30',
    '2026-01-01',
    '.5',
    '<<',
    'é😀',
    '\u001b[31m',
  ]
  const env = strings.map((value, index) => `V${index}: ${JSON.stringify(value)}`).join(', ')
  const stdin = `${agent('odd-strings')}runtime: {command: [x], env: {${env}}}\n`
  const { out } = await runCli(['expand', ...files, '-'], { stdin })
  const applied = await kubectl(config, ['apply', '-f', '-', '--dry-run=server', '-o', 'json'], out)
  assert.equal(applied.code, 0, applied.stderr)
  const { items } = JSON.parse(applied.stdout) as { items: { spec: { runtime?: { env?: { value: string }[] } } }[] }
  assert.deepEqual(
    items.at(-1)?.spec.runtime?.env?.map(({ value }) => value),
    strings,
  )
})

test('YAML of any value is read alike by readers of 1.1 and 1.2', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      // A negative zero has no JSON form.
      const given = JSON.parse(JSON.stringify(value)) as unknown
      const written = toYaml(given)
      assert.deepEqual(parse(written), given)
      assert.deepEqual(parse(written, { version: '1.1' }), given)
    }),
  )
})

test('a file that cannot be used is refused with exit code 1, its name and its place; nothing is printed', async (t) => {
  const file = folder(t)
  mkdirSync(join(file('x', ''), '..', 'folder'))
  const valid = file('valid.yaml', agent('valid'))
  for (const [path, message] of [
    [join(valid, '..', 'folder'), /folder: is a folder\n/],
    [join(valid, '..', 'absent.yaml'), /absent\.yaml: does not exist\n/],
    [file('binary.yaml', Buffer.from([0xff, 0xfe, 0x00, 0x80])), /binary\.yaml: is not UTF-8 text\n/],
    [file('large.yaml', 'x'.repeat(300_000)), /large\.yaml: must have at most 262144 bytes\n/],
    ['/dev/zero', /\/dev\/zero: must have at most 262144 bytes\n/],
    [file('empty.yaml', '# nothing\n'), /empty\.yaml: is empty\n/],
    [file('nul.yaml', 'name: "a\\0"\n'), /nul\.yaml:1:1: \/name: /],
    [
      file('alias.yaml', `${agent('a')}labels: &a {x: y}\nannotations: *a\n`),
      /alias\.yaml:3:12: anchors.*\n.*4:14: aliases/,
    ],
    [
      file('field.yaml', `${agent('a')}modle: x\n`),
      /field\.yaml:3:1: \/modle: unknown field "modle"; did you mean model\?/,
    ],
    [file('later.yaml', `${agent('a')}schedule: "* * * * *"\n`), /later\.yaml:3:1: \/schedule: .*not yet supported/],
    [
      file('object.yaml', 'apiVersion: v1\nkind: Pod\n'),
      /object\.yaml:2:1: \/kind: this is a Kubernetes object already/,
    ],
    [file('escape.yaml', `${agent('a')}"\\u001b[31mred": x\n`), /escape\.yaml:3:1: \/\\u001b\[31mred: unknown field/],
  ] as const) {
    const { code, out, err } = await runCli(['expand', valid, path])
    assert.deepEqual([code, out], [1, ''], path)
    assert.match(err, message)
    assert.match(err, /\nNothing was printed\. meshctl schema prints the fields of agent files\.\n$/)
    // eslint-disable-next-line no-control-regex
    assert.doesNotMatch(err, /[\u0000-\u0009\u000b-\u001f]/)
  }
  for (const args of [['expand'], ['expand', valid, '--output', 'x'], ['expand', '']]) {
    const { code, out } = await runCli(args)
    assert.deepEqual([code, out], [1, ''], args.join(' '))
  }
})

test('meshctl schema prints the JSON Schema of the documentation', async () => {
  const { code, out } = await runCli(['schema'])
  assert.equal(code, 0)
  assert.equal(out, readFileSync(new URL('../../../docs/reference/agent-file.schema.json', import.meta.url), 'utf8'))
})
