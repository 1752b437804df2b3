import { createHash } from 'node:crypto'
import { CONCURRENCY_RETRY_MS, RATE_BUCKETS } from './state-store.ts'

/** A Lua script with its SHA-1, as EVALSHA expects it. */
export interface Script {
  readonly lua: string
  readonly sha: string
}

// Milliseconds of the server: replicas of the state role agree on expiry (B6).
const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)`

/** Characters of the name of a group in keys and members: a SHA-256 in base64url. */
export const GROUP_LENGTH = 43

// KEYS: a list (or the prefix of all lists of its group), then the expiry of the group's lists, of all lists of the space, and the bytes:
// 't' of the space, 'g' and group, 'l', group and list. All of a space have one hash tag, so derived keys are on the same server.
const FORGET = `
local function subtract(field, bytes)
  if redis.call('HINCRBY', KEYS[4], field, -bytes) <= 0 then redis.call('HDEL', KEYS[4], field) end
end
local function forget(group, list)
  local expiry = string.sub(KEYS[2], 1, -${GROUP_LENGTH + 1}) .. group
  local bytes = redis.call('HGET', KEYS[4], 'l' .. group .. list)
  -- A script that has written anything is no longer refused by a full server.
  if redis.call('ZSCORE', expiry, list) then redis.call('ZREM', expiry, list) end
  if redis.call('ZSCORE', KEYS[3], group .. list) then redis.call('ZREM', KEYS[3], group .. list) end
  if bytes then
    redis.call('HDEL', KEYS[4], 'l' .. group .. list)
    subtract('g' .. group, bytes)
    subtract('t', bytes)
  end
end
local own = string.sub(KEYS[2], -${GROUP_LENGTH})`

// At most 100 lists of the group and of the space are removed per call, so that no script takes long.
const FORGET_EXPIRED = `${FORGET}
for _, list in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now, 'LIMIT', 0, 100)) do forget(own, list) end
for _, member in ipairs(redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', now, 'LIMIT', 0, 100)) do
  forget(string.sub(member, 1, ${GROUP_LENGTH}), string.sub(member, ${GROUP_LENGTH + 1}))
end`

/**
 * ARGV: name, value, ttl, bytes and entries of a list, 1 if its oldest entries are dropped, bytes and lists of a group, bytes and lists of
 * a space.
 */
export const appendScript = script(`${NOW}${FORGET_EXPIRED}
local name, value, ttl = ARGV[1], ARGV[2], tonumber(ARGV[3])
local most = tonumber(ARGV[4])
local length = redis.call('LLEN', KEYS[1])
-- A list that the server has evicted is gone, whatever its recorded bytes are.
if length == 0 then forget(own, name) end
local sizes = redis.call('HMGET', KEYS[4], 'l' .. own .. name, 'g' .. own, 't')
local bytes = tonumber(sizes[1] or 0) + #value
if (ARGV[6] == '1' and #value or bytes) > most then return 'list-bytes' end
if tonumber(sizes[2] or 0) + #value > tonumber(ARGV[7]) then return 'group-bytes' end
if tonumber(sizes[3] or 0) + #value > tonumber(ARGV[9]) then return 'space-bytes' end
if length == 0 and redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[8]) then return 'group-lists' end
if length == 0 and redis.call('ZCARD', KEYS[3]) >= tonumber(ARGV[10]) then return 'space-lists' end
length = redis.call('RPUSH', KEYS[1], value)
local added = #value
while length > tonumber(ARGV[5]) or bytes > most do
  local dropped = #redis.call('LPOP', KEYS[1])
  added, bytes, length = added - dropped, bytes - dropped, length - 1
end
redis.call('PEXPIRE', KEYS[1], ttl)
redis.call('ZADD', KEYS[2], now + ttl, name)
redis.call('ZADD', KEYS[3], now + ttl, own .. name)
for _, field in ipairs({ 'l' .. own .. name, 'g' .. own, 't' }) do redis.call('HINCRBY', KEYS[4], field, added) end
-- They outlive every list that they describe.
for index = 2, 4 do
  if redis.call('PTTL', KEYS[index]) < ttl then redis.call('PEXPIRE', KEYS[index], ttl) end
end
return length`)

/** Returns total bytes and number of lists of a group. */
export const usageScript = script(`${NOW}${FORGET_EXPIRED}
return { tonumber(redis.call('HGET', KEYS[4], 'g' .. own) or 0), redis.call('ZCARD', KEYS[2]) }`)

/** ARGV: limit. Returns name, bytes and remaining milliseconds of each list. */
export const newestScript = script(`${NOW}${FORGET_EXPIRED}
local found = {}
local lists = redis.call('ZREVRANGEBYSCORE', KEYS[2], '+inf', '(' .. now, 'WITHSCORES', 'LIMIT', 0, ARGV[1])
for index = 1, #lists, 2 do
  found[#found + 1] = lists[index]
  found[#found + 1] = tonumber(redis.call('HGET', KEYS[4], 'l' .. own .. lists[index]) or 0)
  found[#found + 1] = lists[index + 1] - now
end
return found`)

/** ARGV: name. */
export const removeScript = script(`${FORGET}
forget(own, ARGV[1])
return redis.call('UNLINK', KEYS[1])`)

/** Removes up to 500 lists of a group and returns whether some are left. */
export const removeGroupScript = script(`${FORGET}
for _, list in ipairs(redis.call('ZRANGE', KEYS[2], 0, 499)) do
  redis.call('UNLINK', KEYS[1] .. list)
  forget(own, list)
end
return redis.call('EXISTS', KEYS[2])`)

const RATE = `
-- Sum of the buckets that are within the window, at least in part, and the time at which enough of them have left it.
local function rate(key, limit, window)
  local bucket = math.ceil(window / ${RATE_BUCKETS})
  local counts, sum = redis.call('HGETALL', key), 0
  local kept = {}
  for index = 1, #counts, 2 do
    local start = tonumber(counts[index])
    if start + bucket <= now - window then redis.call('HDEL', key, counts[index])
    else
      sum = sum + counts[index + 1]
      kept[#kept + 1] = { start, tonumber(counts[index + 1]) }
    end
  end
  local retry, left = 1, sum
  table.sort(kept, function(a, b) return a[1] < b[1] end)
  for _, one in ipairs(kept) do
    if left < limit then break end
    left = left - one[2]
    retry = one[1] + bucket + window - now
  end
  return sum, math.max(1, retry), now - now % bucket, bucket
end`

/**
 * KEYS: leases, then rates. ARGV: id, number of leases, limit and ttl of each, then limit and window of each rate. Returns 0, or the index
 * of the key that refuses and the milliseconds after which a retry may succeed.
 */
export const acquireScript = script(`${NOW}${RATE}
local id, leases = ARGV[1], tonumber(ARGV[2])
local function option(index, which) return tonumber(ARGV[2 * index + which]) end
local live = leases > 0
for index = 1, leases do
  redis.call('ZREMRANGEBYSCORE', KEYS[index], '-inf', now)
  if not redis.call('ZSCORE', KEYS[index], id) then live = false end
end
if not live then
  for index = leases + 1, #KEYS do
    local sum, retry = rate(KEYS[index], option(index, 1), option(index, 2))
    if sum >= option(index, 1) then return { index, retry } end
  end
  for index = 1, leases do
    if not redis.call('ZSCORE', KEYS[index], id) and redis.call('ZCARD', KEYS[index]) >= option(index, 1) then
      local first = redis.call('ZRANGE', KEYS[index], 0, 0, 'WITHSCORES')[2]
      return { index, math.max(1, math.min(${CONCURRENCY_RETRY_MS}, (first or now) - now)) }
    end
  end
  for index = leases + 1, #KEYS do
    local _, _, start = rate(KEYS[index], option(index, 1), option(index, 2))
    redis.call('HINCRBY', KEYS[index], string.format('%.0f', start), 1)
    redis.call('PEXPIRE', KEYS[index], 2 * option(index, 2))
  end
end
for index = 1, leases do
  local ttl = option(index, 2)
  redis.call('ZADD', KEYS[index], now + ttl, id)
  if redis.call('PTTL', KEYS[index]) < ttl then redis.call('PEXPIRE', KEYS[index], ttl) end
end
return { 0, 0 }`)

/** KEYS: leases. ARGV: id, ttl. */
export const renewScript = script(`${NOW}
for _, key in ipairs(KEYS) do
  local expiry = redis.call('ZSCORE', key, ARGV[1])
  if not expiry or tonumber(expiry) <= now then return 0 end
end
for _, key in ipairs(KEYS) do
  redis.call('ZADD', key, now + ARGV[2], ARGV[1])
  if redis.call('PTTL', key) < tonumber(ARGV[2]) then redis.call('PEXPIRE', key, ARGV[2]) end
end
return 1`)

/** KEYS: leases. ARGV: id. */
export const releaseScript = script(`${NOW}
local held = 0
for _, key in ipairs(KEYS) do
  redis.call('ZREMRANGEBYSCORE', key, '-inf', now)
  held = held + redis.call('ZREM', key, ARGV[1])
end
return held > 0 and 1 or 0`)

/** KEYS: leases, then rates. ARGV: number of leases, then the window of each rate. Returns a count for each key. */
export const countScript = script(`${NOW}${RATE}
local leases, counts = tonumber(ARGV[1]), {}
for index, key in ipairs(KEYS) do
  if index <= leases then counts[index] = redis.call('ZCOUNT', key, '(' .. now, '+inf')
  else counts[index] = rate(key, 0, tonumber(ARGV[1 + index - leases])) end
end
return counts`)

function script(lua: string): Script {
  return { lua, sha: createHash('sha1').update(lua).digest('hex') }
}
