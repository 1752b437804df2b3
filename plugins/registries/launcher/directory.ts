import type { Logger } from '#core/log/logger.ts'
import { agentPath } from '#schemas/launcher/envelope.ts'
import type { Peer, PeerRegistry } from '#schemas/launcher/envelope.ts'
import { Refusal } from '#launcher/contract/http/refusal.ts'
import { callState } from '#launcher/contract/state/call-state.ts'
import type { StateClient } from '#launcher/contract/state/state-client.ts'

import { directory } from '../contract/wire.ts'

/** Another agent of a registry, as seen by this agent. */
export interface FoundPeer {
  readonly registry: PeerRegistry
  readonly peer: Peer
}

/** The registries of this agent, cached from the state role. Each look-up throws `Refusal` if they were never read. */
export interface PeerSource {
  /** The agent with a name, in the first registry in which this agent may call it. `forbidden`: only members that it may not call have the name. */
  target(name: string): Promise<FoundPeer | 'forbidden' | undefined>
  /** The caller of an envelope in the envelope's registry; undefined for an agent of the same name with another uid. */
  caller(registry: string, agent: string, uid: string): Promise<FoundPeer | undefined>
  /** Reads the directory again, at most once a second. */
  refresh(): Promise<void>
}

/** Options of `createPeerSource`. */
export interface DirectoryOptions {
  readonly state: StateClient
  readonly log: Logger
  readonly now: () => number
}

const freshMs = 30_000
const keptMs = 10 * 60_000
const minPauseMs = 1000

/**
 * Keeps the directory for half a minute. An unknown name triggers a refresh, at most once a second: a new member is seen immediately, and forged
 * names cause no load. While the state role is unavailable, the cached directory is valid for ten minutes; the state role authorizes each call
 * anyway.
 */
export function createPeerSource({ state, log, now }: DirectoryOptions): PeerSource {
  let known: readonly PeerRegistry[] | undefined
  let readAt = Number.NEGATIVE_INFINITY
  let triedAt = Number.NEGATIVE_INFINITY
  let running: Promise<void> | undefined
  const read = async (): Promise<void> => {
    triedAt = now()
    const { status, value } = await callState(state, directory, {})
    if (value === undefined) throw new Error(`the state role responded with ${status}`)
    known = value.registries
    readAt = now()
  }
  const refresh = async (): Promise<void> => {
    if (running === undefined && known !== undefined && now() - triedAt < minPauseMs) return
    running ??= read().finally(() => (running = undefined))
    await running.catch((error: unknown) => {
      log.warn({ err: String(error) }, 'the registries cannot be read')
      if (known === undefined || now() - readAt > keptMs)
        throw new Refusal('upstream_failure', 'The registries cannot be read.', { 'retry-after': '1' })
    })
  }
  const find = async <T>(look: (registries: readonly PeerRegistry[]) => T | undefined): Promise<T | undefined> => {
    if (now() - readAt > freshMs) await refresh()
    const found = look(known ?? [])
    if (found !== undefined) return found
    await refresh()
    return look(known ?? [])
  }
  const all = (registries: readonly PeerRegistry[]): FoundPeer[] =>
    registries.flatMap((registry) => registry.peers.map((peer) => ({ registry, peer })))
  return {
    refresh,
    target: async (name) => {
      const named = (registries: readonly PeerRegistry[]) => all(registries).filter(({ peer }) => peer.name === name)
      const found = await find((registries) => named(registries).find(({ peer }) => peer.outbound))
      return found ?? (named(known ?? []).length > 0 ? 'forbidden' : undefined)
    },
    caller: (id, agent, uid) =>
      find((registries) =>
        all(registries).find(
          ({ registry, peer }) => registry.id === id && agentPath(peer) === agent && peer.uid === uid,
        ),
      ),
  }
}
