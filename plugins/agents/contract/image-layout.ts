import { INIT_COMMAND } from '#schemas/launcher/launcher.ts'

/** Paths in the launcher's image. The launcher runs in containers of this image only; nothing is copied elsewhere. */
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

/** Mount paths: `agentTokens` for launcher and agent, all others for the launcher only. */
export const MOUNTS = {
  config: '/etc/mesh/agent',
  launcherTokens: '/var/run/secrets/mesh/launcher',
  agentTokens: '/var/run/secrets/mesh/agent',
} as const

/** Name of the file in `MOUNTS.config`. */
export const CONFIG_FILE = 'agent.json'

/** User and group of the launcher; also the group that owns the mounted tokens. */
export const LAUNCHER_USER = 65532
