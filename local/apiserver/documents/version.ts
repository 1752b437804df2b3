/** GET /version: the level of the protocol that is spoken, and by whom. */
export const VERSION = {
  major: '1',
  minor: '36',
  gitVersion: 'v1.36.0+mesh',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: '',
  compiler: '',
  platform: 'embedded',
}
