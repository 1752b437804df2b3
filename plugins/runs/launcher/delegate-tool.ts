import type { Tool } from '#launcher/contract/loop/tool.ts'
import { text } from '#launcher/contract/loop/tool.ts'
import type { Delegate } from './delegate.ts'

/** Tool of the built-in loop that delegates a task to one of the configured agents. */
export function delegateTool(delegate: Delegate, targets: readonly string[], timeoutMs: number): Tool {
  return {
    always: true,
    definition: {
      name: 'delegate',
      description: 'Delegates a task to another agent and returns its answer.',
      parameters: {
        type: 'object',
        properties: {
          agent: { type: 'string', enum: targets, description: 'The agent.' },
          input: { type: 'string', description: 'The complete task: the agent receives nothing else.' },
        },
        required: ['agent', 'input'],
      },
    },
    async run(args, scope) {
      const agent = text(args, 'agent')
      if (!targets.includes(agent)) throw new Error(`agent must be one of ${targets.join(', ')}`)
      const { run, ended } = await delegate({
        agent,
        input: text(args, 'input'),
        mode: 'spawn',
        wait: true,
        timeoutMs,
        parentRunId: scope.runId,
        traceparent: scope.span.traceparent,
        signal: scope.signal,
        onCreated: ({ id }) => scope.emit('delegate.started', { agent, mode: 'spawn', runId: id }),
      })
      scope.emit('delegate.finished', { agent, runId: run.id, state: run.state })
      if (!ended) throw new Error(`the run ${run.id} has not ended in time`)
      if (run.state !== 'succeeded') throw new Error(`the run ${run.id} ended as ${run.state}`)
      return { runId: run.id, output: run.output ?? null }
    },
  }
}
