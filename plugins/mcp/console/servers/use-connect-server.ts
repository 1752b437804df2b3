import { useState } from 'react'
import type { ConnectMcpServerBody } from '#schemas/api/mcp.ts'
import { sendApi } from '#ui/api/request-api.ts'
import type { ShownStep } from '#ui/parts/status/step-state.ts'
import { failedStep, runningSteps, stepsOfConnection, stepsOfFailure } from './handshake-steps.ts'
import type { DoneStep } from './handshake-steps.ts'

/** A connected server, with what it offered. */
export interface ShownConnection {
  readonly metadata: { readonly namespace?: string; readonly name: string }
  readonly manifest?: { readonly tools: readonly unknown[] }
  readonly handshake: readonly DoneStep[]
}

/** A connection under way. Its body has the credential, so that it is an argument and no state: a mutation would keep it. */
export function useConnectServer(onConnected: () => void) {
  const [steps, setSteps] = useState<readonly ShownStep[]>()
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<Error | null>(null)
  const [made, setMade] = useState<ShownConnection>()
  const connect = async (body: ConnectMcpServerBody): Promise<void> => {
    setBusy(true)
    setError(null)
    setSteps(runningSteps)
    try {
      const connected = await sendApi<ShownConnection>({ method: 'POST', path: ['mcp', 'connect'], body })
      setSteps(stepsOfConnection(connected?.handshake ?? []))
      setMade(connected)
      onConnected()
    } catch (failure) {
      const problem = failure instanceof Error ? failure : new Error(String(failure))
      const failed = failedStep(problem)
      setSteps(failed === undefined ? undefined : stepsOfFailure(failed))
      setError(problem)
    } finally {
      setBusy(false)
    }
  }
  return { steps, isBusy, error, made, connect }
}
