import type { Mutant } from './mutant.ts'

const leases = ['plugins/mcp/oauth/tokens/leased-tokens.test.ts']

/** Defects of the grants of persons: tokens that outlive them. */
export const mutants: readonly Mutant[] = [
  {
    name: 'grants: a revocation is confirmed while processes use the grant',
    file: 'plugins/mcp/oauth/consent/revoke-grant.ts',
    find: '  await ended\n',
    replace: '',
    tests: leases,
    only: 'when a revocation is confirmed',
  },
  {
    name: 'grants: a consent is complete while processes use the former one',
    file: 'plugins/mcp/oauth/consent/complete-consent.ts',
    find: 'if (grant.version > 1) await untilLeasesEnd()',
    replace: 'if (grant.version < 1) await untilLeasesEnd()',
    tests: leases,
    only: 'when a consent of another account is complete',
  },
  {
    name: 'grants: tokens of a refresh that a consent overtook stay valid',
    file: 'plugins/mcp/oauth/tokens/grant-tokens.ts',
    find: 'if (newest === undefined || isLater(newest, grant)) await',
    replace: 'if (newest === undefined) await',
    tests: leases,
    only: 'tokens of a refresh that a consent overtook',
  },
  {
    name: 'grants: scopes that a person has granted are asked for again',
    file: 'plugins/mcp/broker/call-credential.ts',
    find: 'scopes.filter((one) => !grant.scopes.includes(one))',
    replace: '[...scopes]',
    tests: ['plugins/mcp/broker/call-credential.test.ts'],
    only: 'asks for no scope',
  },
  {
    name: 'grants: a run that needs further scopes resumes with the former grant',
    file: 'plugins/mcp/store/grants.ts',
    find: "    .where('wanted_scopes', 'is', null)\n",
    replace: '',
    tests: ['plugins/mcp/consumers.test.ts'],
    only: 'needs further scopes',
  },
  {
    name: 'grants: a lease begins after its grant was read',
    file: 'plugins/mcp/oauth/tokens/leased-tokens.ts',
    find: 'until: readAt + GRANT_LEASE_MS',
    replace: 'until: performance.now() + GRANT_LEASE_MS',
    tests: leases,
    only: 'a process keeps 1,000 tokens',
  },
]
