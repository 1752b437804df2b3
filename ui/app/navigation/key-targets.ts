/** Pages that a key opens after `g`, by their id. */
export const keyTargets: Readonly<Record<string, string>> = {
  home: 'h',
  agents: 'a',
  runs: 'r',
  cost: 'c',
  audit: 'u',
  topology: 't',
  approvals: 'p',
}

/** Where the console begins. */
export const HOME_PATH = '/'
