import { toStorableValue } from '#schemas/values/storable-text.ts'
import type { Turns, TurnScope } from '../../contract/loop/turns.ts'
import type { MemoryBackend, MemoryOperation } from '../../memory/backend.ts'

/** Turns of the built-in loop in session memory; undefined if it is not bound. The state role knows user and conversation of the run. */
export function sessionTurns(backend: MemoryBackend): Turns | undefined {
  if (!backend.isBound('session')) return undefined
  const call = ({ runId, span, signal }: TurnScope, operation: MemoryOperation) =>
    backend.callFor('session', { runId, parent: span, signal }, operation)
  return {
    read: async (scope) => {
      const { bytes } = await call(scope, { name: 'memory get', method: 'GET', path: '/memory/turns' })
      return JSON.parse(bytes.toString('utf8')) as unknown
    },
    append: async (scope, messages) => {
      const body = { messages: toStorableValue(messages) }
      await call(scope, { name: 'memory append', method: 'POST', path: '/memory/turns', body })
    },
  }
}
