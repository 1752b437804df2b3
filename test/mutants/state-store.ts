import type { Mutant } from './mutant.ts'

const tests = ['core/state-store/state-store.test.ts']

/** Defects of the state store: bounds, expiry, admissions, and a server that is away. */
export const mutants: readonly Mutant[] = [
  {
    name: 'state store: a group of Redis has no bound of bytes',
    file: 'core/state-store/redis-scripts.ts',
    find: "if tonumber(sizes[2] or 0) + #value > tonumber(ARGV[7]) then return 'group-bytes' end",
    replace: '',
    tests,
  },
  {
    name: 'state store: the groups of a space have no common bound in Redis',
    file: 'core/state-store/redis-scripts.ts',
    find: "if tonumber(sizes[3] or 0) + #value > tonumber(ARGV[9]) then return 'space-bytes' end",
    replace: '',
    tests,
  },
  {
    name: 'state store: a space takes all bytes of the process',
    file: 'core/state-store/memory-lists.ts',
    find: "if (shareOf(spaceOf(name)) + needed.stored > maxBytes / 2) return 'store'",
    replace: '',
    tests,
    only: 'refuses what exceeds its bytes',
  },
  {
    name: 'state store: the bytes of an evicted list stay counted',
    file: 'core/state-store/redis-scripts.ts',
    find: 'if length == 0 then forget(own, name) end',
    replace: '',
    tests,
    only: 'evicted leave no debt',
  },
  {
    name: 'state store: an append does not refresh the expiry of its list',
    file: 'core/state-store/redis-scripts.ts',
    find: "redis.call('PEXPIRE', KEYS[1], ttl)",
    replace: "if length == 1 then redis.call('PEXPIRE', KEYS[1], ttl) end",
    tests,
  },
  {
    name: 'state store: a repeated acquire is counted again',
    file: 'core/state-store/redis-scripts.ts',
    find: "if not redis.call('ZSCORE', KEYS[index], id) then live = false end",
    replace: 'live = false',
    tests,
  },
  {
    name: 'state store: a bucket leaves the window when it begins to',
    file: 'core/state-store/memory-admissions.ts',
    find: 'if (start + bucketOf(windowMs) <= now() - windowMs) buckets.delete(start)',
    replace: 'if (start <= now() - windowMs / 2) buckets.delete(start)',
    tests,
  },
  {
    name: 'state store: an error quotes the reply of the server',
    file: 'core/state-store/redis-connection.ts',
    find: 'throw stateStoreUnavailable(`The state store refused a command: ${firstWord(error)}.`)',
    replace: 'throw stateStoreUnavailable(error.message)',
    tests,
    only: 'a full server',
  },
]
