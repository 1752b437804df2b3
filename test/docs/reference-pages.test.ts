import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { kindsOf } from '#core/plugin/access-of-plugins.ts'
import { plugins } from '#plugins/index.ts'
import { generate } from '../../scripts/generators/kinds.ts'
import { fieldRows, toTable } from '../../scripts/reference/field-rows.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

test('R2-UX-7: a field of the reference has its path, type, default, bounds and meaning', () => {
  const rows = fieldRows({
    required: ['list'],
    properties: {
      list: {
        type: 'array',
        maxItems: 3,
        items: { type: 'object', properties: { a: { enum: ['x', 'y'], default: 'x' } } },
      },
      wait: { type: 'string', maxLength: 64, 'x-mesh-duration': { min: '1s', max: '1h' }, description: 'A | wait.' },
      count: { anyOf: [{ type: 'integer', minimum: 1, maximum: 9 }, { type: 'string' }] },
    },
  })
  assert.equal(
    toTable(rows),
    `| field | type | default | bounds | meaning |
|---|---|---|---|---|
| \`list\` | list of mapping, required |  | at most 3 entries |  |
| \`list[].a\` | \`x\`, \`y\` | \`"x"\` |  |  |
| \`wait\` | duration |  | 1s to 1h | A \\| wait. |
| \`count\` | integer or string |  | 1 to 9 |  |
`,
  )
})

test('R2-UX-7: the reference has every kind and the fields of agent files', async () => {
  const pages = await generate()
  const kinds = pages.get('docs/reference/kinds.md') ?? ''
  for (const { kind } of kindsOf(plugins)) assert.ok(kinds.includes(`\n## ${kind}\n`), kind)
  for (const field of [
    'spec.budget.amount',
    'spec.tools[].requireApproval',
    'spec.rules[].pii.kinds',
    'status.conditions',
  ])
    assert.ok(kinds.includes(`| \`${field}\` |`), field)
  for (const field of ['name', 'budget.onExceed', 'limits.timeout', 'runtime.command'])
    assert.ok(pages.get('docs/reference/agent-file.md')?.includes(`| \`${field}\` |`), field)
})

// What follows `reason` on the lines of the code that writes conditions.
function reasonsOfCode(): ReadonlySet<string> {
  const files = globSync('plugins/{agents,secrets,providers,mcp,registries,tenants,knowledge,traces}/**/*.ts', {
    cwd: root,
  })
  const found = new Set<string>()
  for (const file of files) {
    // Words of the console are no reasons.
    if (/test|kube-events|\/console\//.test(file)) continue
    for (const line of readFileSync(join(root, file), 'utf8').split('\n')) {
      const [, after = ''] = /\breason\b(?=\s*[:=?])(.*?)(?:message|$)/.exec(line) ?? []
      for (const [, reason = ''] of after.matchAll(/'((?!(?:False|True|Unknown)')[A-Z][A-Za-z]+)'/g)) found.add(reason)
    }
  }
  return found
}

test('R2-UX-7: why-an-agent-does-not-run explains every reason that the code writes into a condition, and no other', () => {
  const page = readFileSync(join(root, 'docs/concepts/why-an-agent-does-not-run.md'), 'utf8')
  const code = reasonsOfCode()
  assert.ok(code.has('PodPartRefused') && code.has('AgentNotListening') && code.size > 30, [...code].join(', '))
  assert.deepEqual(
    [...code].filter((reason) => !page.includes(`\`${reason}\``)),
    [],
  )
  const sources = globSync('plugins/**/*.ts', { cwd: root }).map((file) => readFileSync(join(root, file), 'utf8'))
  const explained = [...page.matchAll(/^\| (?:[\w, ]+ \| )?((?:`[A-Z]\w+`(?:, )?)+) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`(\w+)`/g)].map(([, reason = '']) => reason),
  )
  assert.ok(explained.length > 30)
  assert.deepEqual(
    explained.filter((reason) => !sources.some((text) => text.includes(`'${reason}'`))),
    [],
  )
})
