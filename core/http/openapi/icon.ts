import { toStaticFile } from '../reply/static-file.ts'

/** `/favicon.ico`, 32 by 32 pixels in one colour, requested by browsers with every page and document. */
export const icon = toStaticFile(
  'image/x-icon',
  Buffer.from(
    'AAABAAEAICACAAEAAQCuAAAAFgAAAIlQTkcNChoKAAAADUlIRFIAAAAgAAAAIAEDAAAASbTotwAAAAZQTFRF////O4L2IJd07wAAAAF0Uk5TAEDm2GYAAABW' +
      'SURBVHjaY2CAgAYgZv8AJPh/oBDyfzDFwOr4doAICyAhIwMjLPhgRAE7jHjA3MDA9IB5AYP8AcY/DPYPmP9Bif///zHU////H8JCSIDVMTEwKIDdBQBTFSXek8DFOgAAAABJRU5ErkJggg==',
    'base64',
  ),
)
