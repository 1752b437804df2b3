/** GET /version: the implemented version of the API. */
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
