import type { Dispatcher } from 'undici'
import { ConfigError } from '../settings/agent-config.ts'
import type { Settings } from '../settings/settings.ts'
import { createStateClient } from './state-client.ts'
import type { StateClient } from './state-client.ts'

/**
 * Returns the pod's only client of the state role. Throws `ConfigError` without `STATE_URL`; `need` is the reason in its message, such as 'the agent
 * has a budget'.
 */
export type PodState = (need: string) => StateClient

/** Creates it. */
export function createPodState(
  { stateUrl, stateTokenFile: tokenFile }: Pick<Settings, 'stateUrl' | 'stateTokenFile'>,
  dispatcher: () => Promise<Dispatcher>,
): PodState {
  const client = stateUrl === undefined ? undefined : createStateClient({ stateUrl, tokenFile, dispatcher })
  return (need) => {
    if (client === undefined) throw new ConfigError(`STATE_URL: is missing, and ${need}`)
    return client
  }
}
