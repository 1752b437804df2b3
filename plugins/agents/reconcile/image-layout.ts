/**
 * Where the launcher's image keeps its files. All are below one folder, so that an init container can copy it into a volume and
 * any other image can run it: node is started through its own loader and libraries, tini is static.
 */
export const ROOT = '/mesh'

/** The container command of a launcher; the agent's command follows as `-- program arguments`. Node as process 1 would leave zombies (M12). */
export const LAUNCHER_COMMAND: readonly string[] = [
  `${ROOT}/tini`,
  '-g',
  '--',
  `${ROOT}/lib/loader.so`,
  '--library-path',
  `${ROOT}/lib`,
  `${ROOT}/node`,
  '--max-semi-space-size=4',
  `${ROOT}/launcher.mjs`,
]

/** Copies what the command needs into a volume mounted at `target`; only runs in the launcher's own image. */
export function copyCommand(target: string): string[] {
  return [`${ROOT}/node`, `${ROOT}/install.mjs`, target]
}

/** What is mounted where in the container of the launcher. */
export const MOUNTS = {
  config: '/etc/mesh/agent',
  keys: '/var/run/secrets/mesh/keys',
  launcherTokens: '/var/run/secrets/mesh/launcher',
  agentTokens: '/var/run/secrets/mesh/agent',
} as const

/** Name of the file in `MOUNTS.config`. */
export const CONFIG_FILE = 'agent.json'

/** The user of the launcher where it needs no rights, and the one that it gives to the agent where it may. */
export const USERS = { launcher: 65532, agent: 65533 } as const
