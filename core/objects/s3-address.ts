/** Address and credentials of an S3 bucket. */
export interface S3Address {
  /** `http://host:port` or `https://host:port`. */
  readonly origin: string
  readonly bucket: string
  readonly region: string
  readonly accessKey: string
  readonly secretKey: string
}

/** Values of the settings. */
export interface S3Settings {
  /** host:port. */
  readonly addr: string
  readonly accessKey: string | undefined
  readonly secretKey: string | undefined
  readonly bucket: string
  readonly region: string
  readonly tls: boolean
}

/** Default bucket. */
export const DEFAULT_BUCKET = 'mesh-fixtures'

/** Default region; servers other than AWS usually have this one. */
export const DEFAULT_REGION = 'us-east-1'

/** A setting that is not valid. The message never quotes a value. */
export class S3SettingsProblem extends Error {
  override readonly name = 'S3SettingsProblem'
  readonly setting: keyof S3Settings

  constructor(setting: keyof S3Settings, detail: string) {
    super(detail)
    this.setting = setting
  }
}

/** Parses the settings of an object store. Throws `S3SettingsProblem`. */
export function parseS3Settings({ addr, accessKey, secretKey, bucket, region, tls }: S3Settings): S3Address {
  const origin = `${tls ? 'https' : 'http'}://${addr}`
  const url = URL.parse(origin)
  // The string is compared with the parsed URL, so that it contains no user, path or query.
  if (url === null || !/^[A-Za-z0-9.-]+(?::\d{1,5})?$|^\[[0-9a-fA-F:.]+\](?::\d{1,5})?$/.test(addr))
    throw new S3SettingsProblem('addr', 'must be host:port, without a scheme')
  // Rules of S3 for buckets, without dots, which TLS does not support.
  if (!/^[a-z0-9](?:[a-z0-9-]{1,61}[a-z0-9])$/.test(bucket))
    throw new S3SettingsProblem('bucket', 'must be 3 to 63 lowercase letters, digits and dashes')
  if (!/^[a-z0-9-]{1,64}$/.test(region))
    throw new S3SettingsProblem('region', 'must be lowercase letters, digits and dashes')
  return {
    origin: url.origin,
    bucket,
    region,
    accessKey: keyOf('accessKey', accessKey),
    secretKey: keyOf('secretKey', secretKey),
  }
}

function keyOf(setting: 'accessKey' | 'secretKey', value: string | undefined): string {
  if (value === undefined || !/^[\x21-\x7e]{1,256}$/.test(value))
    throw new S3SettingsProblem(setting, 'must be 1 to 256 visible ASCII characters')
  return value
}
