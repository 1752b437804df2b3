import { INIT_COMMAND } from '#schemas/launcher.ts'

/** Where the launcher's image keeps its files. It runs in containers of this image only: nothing is copied elsewhere. */
export const ROOT = '/mesh'

/** The command of a launcher's container. */
export const LAUNCHER_COMMAND: readonly string[] = [
  ...INIT_COMMAND,
  `${ROOT}/node`,
  '--max-semi-space-size=4',
  // A signal must not open the inspector: another process of the pod could attach to it.
  '--disable-sigusr1',
  `${ROOT}/launcher.mjs`,
]

/** What is mounted where: `agentTokens` for launcher and agent, everything else for the launcher alone. */
export const MOUNTS = {
  config: '/etc/mesh/agent',
  keys: '/var/run/secrets/mesh/keys',
  launcherTokens: '/var/run/secrets/mesh/launcher',
  agentTokens: '/var/run/secrets/mesh/agent',
} as const

/** Name of the file in `MOUNTS.config`. */
export const CONFIG_FILE = 'agent.json'

/** User and group of the launcher; also the group that owns the mounted tokens. */
export const LAUNCHER_USER = 65532
