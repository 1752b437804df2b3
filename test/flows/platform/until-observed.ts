import type { RawAnswer, RawRequest, Send } from './send.ts'

// Each attempt waits two seconds in the platform.
const mostAttempts = 30
const starts = new Set(['/api/invoke', '/api/runs'])

/**
 * Repeats a run of an agent that this client has created while the platform knows no such agent. It waits two seconds for the manager to
 * observe the agent, which takes longer on a busy machine.
 */
export function untilObserved(send: Send): Send {
  const created = new Set<string>()
  return async (request) => {
    for (let attempt = 1; ; attempt++) {
      const answer = await send(request)
      const { pathname } = new URL(request.path, 'http://bff')
      if (pathname === '/api/agents' && answer.status === 201) created.add(createdBy(answer))
      if (request.method === 'DELETE') created.delete(pathname.replace('/api/agents/', ''))
      const isNew = answer.status === 404 && starts.has(pathname) && created.has(agentOf(request))
      if (!isNew || attempt === mostAttempts) return answer
    }
  }
}

function createdBy(answer: RawAnswer): string {
  const { metadata } = answer.json<{ metadata: { namespace: string; name: string } }>()
  return `${metadata.namespace}/${metadata.name}`
}

function agentOf({ method, body }: RawRequest): string {
  const { agent } = (body ?? {}) as { agent?: { namespace?: unknown; name?: unknown } }
  return method === 'POST' ? `${String(agent?.namespace)}/${String(agent?.name)}` : ''
}
