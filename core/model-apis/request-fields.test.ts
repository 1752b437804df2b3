import assert from 'node:assert/strict'
import test from 'node:test'
import { messagesToChat } from './messages-request.ts'
import { findRefusedField, findUnknownField } from './request-fields.ts'
import type { RequestApi } from './request-fields.ts'
import { responsesToChat } from './responses-request.ts'

const hello = [{ role: 'user', content: 'Hi.' }]
const fn = { type: 'function', function: { name: 'f' } }

test('R2-N9: fields that cost money or leave the route are found, and values that the API has without them are not', () => {
  const cases: readonly (readonly [RequestApi, object, string | undefined])[] = [
    ['chat/completions', { service_tier: 'priority' }, 'service_tier'],
    ['chat/completions', { service_tier: ['auto'] }, 'service_tier'],
    ['chat/completions', { service_tier: 'flex' }, undefined],
    ['chat/completions', { web_search_options: {} }, 'web_search_options'],
    ['chat/completions', { web_search_options: null }, undefined],
    ['chat/completions', { modalities: ['text', 'audio'] }, 'modalities'],
    ['chat/completions', { modalities: ['text'] }, undefined],
    ['chat/completions', { audio: { voice: 'a' } }, 'audio'],
    ['chat/completions', { best_of: 2 }, 'best_of'],
    ['chat/completions', { best_of: 1 }, undefined],
    ['chat/completions', { models: ['dear'] }, 'models'],
    ['chat/completions', { tools: [fn, { type: 'web_search' }] }, 'tools[1]'],
    ['chat/completions', { tools: [{ google_search: {} }] }, 'tools[0]'],
    ['chat/completions', { tools: ['mcp'] }, 'tools[0]'],
    ['chat/completions', { tools: [fn, { type: 'custom', custom: { name: 'c' } }, { function: {} }] }, undefined],
    ['embeddings', { models: [] }, 'models'],
    ['messages', { speed: 'fast' }, 'speed'],
    ['messages', { speed: 'standard', service_tier: 'standard_only', inference_geo: 'global' }, undefined],
    ['messages', { inference_geo: 'us' }, 'inference_geo'],
    ['messages', { fallbacks: 'default' }, 'fallbacks'],
  ]
  for (const [api, body, field] of cases)
    assert.equal(findRefusedField(api, { model: 'm', ...body })?.field, field, JSON.stringify(body))
})

test('R2-N9: a field that no API documents is unknown unless it is allowed, whatever its name', () => {
  const unknown = (field: string, allowed: readonly string[] = []) =>
    findUnknownField(
      'chat/completions',
      JSON.parse(`{"model": "m", ${JSON.stringify(field)}: 1}`) as Record<string, unknown>,
      allowed,
    )
  for (const name of ['keep_alive', '__proto__', 'constructor', 'toString', '', 'Model', 'a'.repeat(10_000)]) {
    assert.equal(unknown(name), name)
    assert.equal(unknown(name, [name]), undefined)
  }
  assert.equal(unknown('temperature'), undefined)
  assert.equal(findUnknownField('embeddings', { input: 'x', temperature: 1 }, []), 'temperature')
  assert.equal(findUnknownField('messages', { messages: [], system: '', thinking: {} }, []), undefined)
})

test('R2-N9: a translation refuses such a field in place of leaving it out', () => {
  const refused = (work: () => unknown, field: string) =>
    assert.throws(work, (error: { field?: string }) => error.field === field)
  refused(() => responsesToChat({ model: 'm', input: 'x', service_tier: 'priority' }), 'service_tier')
  refused(() => responsesToChat({ model: 'm', input: 'x', models: ['a'] }), 'models')
  refused(() => messagesToChat({ model: 'm', messages: hello, max_tokens: 1, speed: 'fast' }), 'speed')
  const innocent = { service_tier: 'auto', store: true, include: [], truncation: 'disabled', prompt_cache_key: 'k' }
  assert.ok(responsesToChat({ model: 'm', input: 'x', ...innocent }))
  assert.ok(messagesToChat({ model: 'm', messages: hello, max_tokens: 1, service_tier: 'auto' }))
})
