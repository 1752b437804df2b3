import assert from 'node:assert/strict'
import test from 'node:test'
import { readChatUsage } from './chat-usage.ts'

test('B3: counts of a chat completion are read, and what is no count is unknown instead of 0', () => {
  const details = { prompt_tokens_details: { cached_tokens: 4 }, completion_tokens_details: { reasoning_tokens: 2 } }
  assert.deepEqual(readChatUsage({ prompt_tokens: 7, completion_tokens: 3, ...details }), {
    inputTokens: 7,
    outputTokens: 3,
    cachedTokens: 4,
    reasoningTokens: 2,
  })
  for (const completion_tokens of [undefined, null, 0])
    assert.equal(readChatUsage({ prompt_tokens: 7, completion_tokens })?.outputTokens, 0)
  for (const wrong of ['7', -1, 1.5, NaN, Infinity, 2 ** 53, null, {}, []]) {
    assert.equal(readChatUsage({ prompt_tokens: wrong, completion_tokens: 3 }), undefined, String(wrong))
    if (wrong !== null)
      assert.equal(readChatUsage({ prompt_tokens: 7, completion_tokens: wrong }), undefined, String(wrong))
  }
  for (const none of [undefined, null, 7, 'x', [], {}, { total_tokens: 10 }])
    assert.equal(readChatUsage(none), undefined)
  // Gemini: 405 tokens of thoughts are in the total only.
  const thoughts = { prompt_tokens: 20, completion_tokens: 198, total_tokens: 623 }
  const read = readChatUsage(thoughts)
  assert.deepEqual([read?.outputTokens, read?.reasoningTokens], [603, 405])
  for (const total_tokens of [undefined, null, '999', -1, 1.5, 10])
    assert.equal(readChatUsage({ prompt_tokens: 7, completion_tokens: 3, total_tokens })?.outputTokens, 3)
  // A detail is part of a count that is known.
  assert.equal(readChatUsage({ prompt_tokens: 7, prompt_tokens_details: { cached_tokens: '4' } })?.cachedTokens, 0)
})
