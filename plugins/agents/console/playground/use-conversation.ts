import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { Static } from 'typebox'
import type { Turn } from '#schemas/api/conversations.ts'
import type { Run } from '#schemas/api/runs.ts'
import { apiQuery } from '#ui/api/queries.ts'
import { sendApi } from '#ui/api/request-api.ts'
import { useAddress } from '#ui/contract/search.ts'
import type { AgentPlace } from '../shared/use-agent.ts'

type KeptTurn = Static<typeof Turn>

/** A message and its run. */
export interface ShownTurn {
  readonly runId: string
  readonly input: unknown
  /** Of a run that had ended when the page was opened. */
  readonly kept: KeptTurn | undefined
}

interface TurnPage {
  readonly items: readonly KeptTurn[]
  readonly nextCursor: string | null
}

/** A conversation with the agent, which stands in the address. */
export interface ShownConversation {
  readonly turns: readonly ShownTurn[]
  readonly hasMore: boolean
  readonly historyError: Error | null
  readonly isSending: boolean
  readonly sendError: Error | null
  /** Sends a message; what follows is called once the server has taken it. */
  readonly send: (input: string, onTaken: () => void) => void
}

const MOST_TURNS = 100

/** The turns of the conversation: those that the server keeps, and those that were sent from here. */
export function useConversation({ namespace, name }: AgentPlace): ShownConversation {
  const [{ conversation }, change] = useAddress()
  // One that began here is not read again: its turns are known.
  const [opened] = useState(conversation)
  const [sent, setSent] = useState<readonly ShownTurn[]>([])
  const key = useRef<string>(undefined)
  const queries = useQueryClient()
  const { data, error } = useQuery({
    ...apiQuery<TurnPage>(['conversations', opened ?? ''], { agent: name, limit: MOST_TURNS }),
    enabled: opened !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  const sending = useMutation({
    mutationFn: async (input: string) => {
      // A message that is sent again after a lost response makes no second run.
      key.current ??= randomKey()
      const body = {
        agent: { namespace, name },
        input,
        ...(conversation === undefined ? {} : { conversationId: conversation }),
      }
      const headers = { 'idempotency-key': key.current }
      return sendApi<Static<typeof Run>>({ method: 'POST', path: ['runs'], body, headers })
    },
    onSuccess: (run, input) => {
      key.current = undefined
      if (run === undefined) return
      setSent((was) => [...was, { runId: run.id, input, kept: undefined }])
      change({ conversation: run.conversationId ?? undefined, run: undefined, input: undefined })
      queries.invalidateQueries({ queryKey: ['agents', namespace, name, 'runs'] }).catch(() => undefined)
    },
  })
  const history = (data?.items ?? []).filter(({ agent }) => agent?.namespace === namespace)
  const known = new Set(sent.map(({ runId }) => runId))
  const kept = history
    .filter(({ runId }) => !known.has(runId))
    .map((turn) => ({ runId: turn.runId, input: turn.input, kept: turn.finishedAt === null ? undefined : turn }))
  return {
    turns: [...kept, ...sent],
    hasMore: data !== undefined && data.nextCursor !== null,
    historyError: error,
    isSending: sending.isPending,
    sendError: sending.error,
    send: (input, onTaken) => sending.mutate(input, { onSuccess: onTaken }),
  }
}

// Not `randomUUID`, which a page without https does not have.
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
