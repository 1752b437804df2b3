import assert from 'node:assert/strict'
import test from 'node:test'
import { classifyAddress } from './addresses.ts'
import { parseAllowList } from './allow-list.ts'
import { createGuard } from './guard.ts'
import type { GuardOptions } from './guard.ts'
import { OutboundError } from './outbound-error.ts'

/** Resolves names as a cluster's DNS might, without leaving this process. */
const names: Readonly<Record<string, readonly string[]>> = {
  localhost: ['127.0.0.1', '::1'],
  'api.example.com': ['93.184.216.34', '2606:2800:220:1::1'],
  'mixed.example.com': ['93.184.216.34', '127.0.0.1'],
  'nat64.example.com': ['64:ff9b::a9fe:a9fe'],
  'ollama.models.svc.cluster.local': ['10.96.0.7'],
  'metadata.google.internal': ['169.254.169.254'],
}

function guard(options: Partial<GuardOptions> = {}) {
  const lookup = async (host: string) => (names[host] ?? []).map((address) => ({ address }))
  return createGuard({ allow: [], lookup, ...options })
}

async function verdict(url: string, options?: Partial<GuardOptions>): Promise<string> {
  try {
    return (await guard(options).resolve(new URL(url))).map(({ address }) => address).join(' ')
  } catch (error) {
    if (error instanceof OutboundError) return error.reason
    throw error
  }
}

// Every spelling that WHATWG URL or a resolver accepts for a non-public address.
const spellings = `
  127.0.0.1 127.1 2130706433 0x7f000001 0x7f.1 0177.0.0.1 127.0.0.1. %31%32%37.0.0.1 １２７.0.0.1 localhost LOCALHOST
  localhost. [::1] [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1] [::ffff:7f00:1] [::127.0.0.1] [::ffff:0:127.0.0.1]
  [64:ff9b::7f00:1] [64:ff9b:1::7f00:1] [2002:7f00:1::] [2001:0:1:2:3:4:80ff:fffe] 10.0.0.1 172.16.0.1 172.31.255.255
  192.168.1.1 100.64.0.1 198.18.0.1 192.0.2.1 203.0.113.9 240.0.0.1 [fc00::1] [fd12:3456::1] [fec0::1] [2001:db8::1]
  [3fff::1] [4000::1] [100::1] [5f00::1]`
  .trim()
  .split(/\s+/)
const never = `
  0.0.0.0 0 0.1.2.3 [::] 169.254.169.254 0xa9fea9fe 2852039166 169.254.1.1 168.63.129.16 100.100.100.200 192.0.0.192
  224.0.0.1 255.255.255.255 [fe80::1] [ff02::1] [fd00:ec2::254] [::ffff:169.254.169.254] [64:ff9b::a9fe:a9fe]
  [64:ff9b:1::a9fe:a9fe] [2002:a9fe:a9fe::1] [::169.254.169.254] [2001:0:1:2:3:4:5601:5601] metadata.google.internal
  nat64.example.com`
  .trim()
  .split(/\s+/)

test('SEC9, M-2: no spelling of a restricted address passes without the setting', async () => {
  for (const host of [...spellings, ...never])
    for (const scheme of ['http', 'https'])
      assert.equal(await verdict(`${scheme}://${host}/v1`), 'address_refused', `${scheme}://${host}`)
})

test('SEC9, M-2: metadata, link-local, multicast and unspecified addresses are refused whatever the setting allows', async () => {
  const allow = ['0.0.0.0/0', '::/0', 'metadata.google.internal', '*.example.com', '169.254.169.254']
  for (const host of never) assert.equal(await verdict(`https://${host}/`, { allow }), 'address_refused', host)
  for (const host of spellings)
    assert.notEqual(await verdict(`http://${host}/`, { allow: [...allow, 'localhost'] }), 'address_refused', host)
})

test('SEC9, M-2: public addresses are called by https; http needs the setting', async () => {
  assert.equal(await verdict('https://api.example.com/v1'), '93.184.216.34 2606:2800:220:1::1')
  assert.equal(await verdict('https://8.8.8.8/'), '8.8.8.8')
  assert.equal(await verdict('http://api.example.com/v1'), 'https_required')
  assert.equal(
    await verdict('http://api.example.com/v1', { allow: ['api.example.com'] }),
    '93.184.216.34 2606:2800:220:1::1',
  )
  for (const url of ['ftp://api.example.com/', 'file:///etc/passwd', 'https://a:b@api.example.com/'])
    assert.equal(await verdict(url), 'invalid_url', url)
})

test('SEC9, M-2: a name with one refused address is refused as a whole', async () => {
  assert.equal(await verdict('https://mixed.example.com/'), 'address_refused')
})

test('SEC9: outbound.allow takes names, domains, addresses and blocks, and nothing beside them', async () => {
  const inCluster = 'http://ollama.models.svc.cluster.local:11434/v1'
  assert.equal(await verdict(inCluster), 'address_refused')
  for (const entry of [
    '*.svc.cluster.local',
    'ollama.models.svc.cluster.local',
    'OLLAMA.models.svc.cluster.local.',
    '10.0.0.0/8',
    '10.96.0.7',
  ])
    assert.equal(await verdict(inCluster, { allow: [entry] }), '10.96.0.7', entry)
  for (const entry of ['*.svc.cluster.loca', 'svc.cluster.local', '10.97.0.0/16', '::/0', '*.models.svc'])
    assert.equal(await verdict(inCluster, { allow: [entry] }), 'address_refused', entry)
  // An IPv4 block allows neither the mapped nor the translated form.
  assert.equal(await verdict('http://[::ffff:10.96.0.7]/', { allow: ['10.0.0.0/8'] }), 'address_refused')
  for (const entry of ['10.0.0.0/33', '010.0.0.0/8', '10/8', '*', '*.', 'http://x', 'a b', '', 'x:80', '2130706433'])
    assert.throws(() => parseAllowList([entry]), /is not a CIDR block/, entry)
})

test("SEC9: the platform's own listeners are refused under every name of this machine", async () => {
  const ownUrls = () => ['http://127.0.0.1:8080', 'http://mesh-state.mesh-system.svc:3002']
  const options = { allow: ['127.0.0.0/8', '::1', '::ffff:127.0.0.0/104', 'localhost', '10.0.0.0/8', '*.svc'], ownUrls }
  for (const host of ['127.0.0.1', '127.9.9.9', 'localhost', '[::1]', '[::ffff:127.0.0.1]'])
    assert.equal(await verdict(`http://${host}:8080/`, options), 'address_refused', host)
  assert.equal(await verdict('http://127.0.0.1:8081/', options), '127.0.0.1')
  const lookup = async () => [{ address: '10.96.0.9' }]
  assert.equal(await verdict('http://mesh-state.mesh-system.svc:3002/', { ...options, lookup }), 'address_refused')
  assert.equal(await verdict('http://mesh-state.mesh-system.svc:3003/', { ...options, lookup }), '10.96.0.9')
})

test('SEC9: a refusal names the rule, never the address behind a name', async () => {
  const message = (url: string) =>
    guard()
      .resolve(new URL(url))
      .then(String, (error: Error) => error.message)
  assert.equal(await message('https://10.1.2.3/v1'), '10.1.2.3 is a private address: not listed in outbound.allow.')
  assert.equal(
    await message('https://localhost/v1'),
    'localhost resolves to a loopback address: not listed in outbound.allow.',
  )
  assert.equal(await message('https://169.254.169.254/'), '169.254.169.254 is a metadata service: never called.')
  assert.equal(classifyAddress('nonsense').access, 'forbidden')
  assert.equal(classifyAddress('fe80::1%eth0').access, 'forbidden')
})
