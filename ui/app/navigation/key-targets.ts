/** Pages that a key opens after `g`, by their id. */
export const keyTargets: Readonly<Record<string, string>> = {
  agents: 'a',
  runs: 'r',
  cost: 'c',
  audit: 'u',
  topology: 't',
  approvals: 'p',
}

/** Path of the console without a page. */
export const HOME_PATH = '/console'
