import { useState } from 'react'
import { useAddress } from '#ui/contract/search.ts'
import type { AgentTabProps } from '../shared/agent-tab.ts'
import { ConversationView } from './conversation-view.tsx'

/** Talks to the agent: the conversation, and beside it the run of its last message. */
export function PlaygroundTab(props: AgentTabProps) {
  const [session, setSession] = useState(0)
  const [, change] = useAddress()
  const begin = (): void => {
    change({ conversation: undefined, run: undefined, input: undefined })
    setSession(session + 1)
  }
  return <ConversationView key={session} {...props} onNew={begin} />
}
