import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { loadThirdParties } from '#core/host/third-party/third-party.ts'
import { encodeFrame } from '#core/sse/frame.ts'
import { createStreamFilter } from '#plugins/providers/filters/response/stream-filter.ts'
import { checkFilters } from '#plugins/providers/filters/session/filter-order.ts'
import type { CallFilter, FilterContext, FilteredCall, ModelFilter } from '#plugins/providers/contract/model-filter.ts'
import { openFilters } from '#plugins/providers/filters/testing/session-filters.ts'
import { providers } from '#plugins/providers/index.ts'

const page = new URL('../../docs/how-to/filter-model-calls.md', import.meta.url)
const secret = 'sk-0123456789abcdef'

test('the filter of docs/how-to/filter-model-calls.md redacts requests and streams, and refuses tool calls', async (t) => {
  const code = /```ts\n(\/\/ redact\.ts\n[^]*?)```/.exec(await readFile(page, 'utf8'))?.[1] ?? ''
  const folder = await mkdtemp(join(tmpdir(), 'mesh-filter-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  await writeFile(join(folder, 'redact.ts'), code)
  const [plugin] = await loadThirdParties(['./redact.ts'], { folder, plugins: [providers], profile: 'open' })
  const [contribution] = plugin?.contributions?.({} as never) ?? []
  assert.equal(contribution?.point, 'providers.filter')
  const filter = contribution.value as ModelFilter
  checkFilters([{ owner: 'plugin redact', plugin: 'redact', value: filter }])
  const call = { operation: 'chat/completions' } as FilteredCall
  const hooks = (await filter.open(call, {} as FilterContext)) as CallFilter
  const filters = await openFilters([hooks])
  const body = { model: 'm', messages: [{ role: 'user', content: `use ${secret}` }] }
  const changed = await filters.request({ operation: 'chat/completions', body })
  assert.deepEqual(changed.messages, [{ role: 'user', content: 'use [key]' }])
  const stream = createStreamFilter(filters, 65_536)
  let text = ''
  for (const content of [`key ${secret.slice(0, 9)}`, `${secret.slice(9)}!`]) {
    stream.push(encodeFrame({ data: JSON.stringify({ choices: [{ index: 0, delta: { content } }] }) }))
    text += (await stream.take()).toString()
  }
  text += (await stream.end()).toString()
  const contents = [...text.matchAll(/"content":"([^"]*)"/g)].map(([, content]) => content)
  assert.equal(contents.join(''), 'key [key]!')
  const toolCall = { choice: 0, id: 'a', name: 'mail', arguments: JSON.stringify({ text: secret }) }
  await assert.rejects(filters.toolCall(toolCall), { status: 403, code: 'key_in_tool_call' })
})
