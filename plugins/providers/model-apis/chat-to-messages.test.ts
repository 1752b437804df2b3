import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { InvalidRequest } from '#core/model-apis/invalid-request.ts'
import { hostileJson } from '#core/model-apis/testing/hostile-json.ts'
import { chatToMessages } from './chat-to-messages.ts'

const fields = ['messages', 'tools', 'tool_choice', 'stop', 'response_format']

test('F1: chat completions of any form become messages or name what cannot be translated', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...fields), hostileJson), (chat) => {
      try {
        assert.ok(Array.isArray((chatToMessages(chat) as { messages: unknown }).messages))
      } catch (error) {
        assert.ok(error instanceof InvalidRequest && error.message.length < 500, String(error))
      }
    }),
    { numRuns: 1_000 },
  )
})
