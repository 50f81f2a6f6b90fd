import type { webcrypto } from 'node:crypto';
import * as asn1 from 'asn1js';
import * as pkijs from 'pkijs';
import { httpServer } from './http-server.ts';

const SHA_256 = '2.16.840.1.101.3.4.2.1';
const POLICY = '1.3.6.1.4.1.99999.1';
const TIME_STAMPING = '1.3.6.1.5.5.7.3.8';
const DAY_MS = 86_400_000;
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256' };

export type TimestampAuthority = AsyncDisposable & {
  readonly url: string;
  /** Of the root certificate. */
  readonly pem: string;
  readonly der: Uint8Array;
  /** What it does with the next requests. */
  answerWith(change: TimestampAnswer): void;
  readonly requests: readonly pkijs.TimeStampReq[];
};

export type TimestampAnswer = {
  readonly at?: Date;
  readonly refuses?: boolean;
  readonly status?: number;
  readonly body?: Buffer;
  /** Answers with a token of another text. */
  readonly otherText?: boolean;
  readonly otherNonce?: boolean;
  /** Keeps the connection open without an answer. */
  readonly hangs?: boolean;
};

type Issued = { readonly certificate: pkijs.Certificate; readonly key: webcrypto.CryptoKey };

/** A time-stamp authority (RFC 3161) on loopback, with a root and a certificate for time-stamps. */
export async function startTimestampAuthority({
  validFrom = new Date(Date.now() - DAY_MS),
  validTo = new Date(Date.now() + DAY_MS),
  purpose = TIME_STAMPING,
}: {
  validFrom?: Date;
  validTo?: Date;
  purpose?: string;
} = {}): Promise<TimestampAuthority> {
  const validity = { validFrom, validTo };
  const root = await issue({ name: 'Test Root', ...validity });
  const signer = await issue({ name: 'Test Time-Stamps', issuer: root, purpose, ...validity });
  const requests: pkijs.TimeStampReq[] = [];
  let answer: TimestampAnswer = {};
  const server = await httpServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    if (answer.hangs) return;
    const asked = pkijs.TimeStampReq.fromBER(copyOf(Buffer.concat(pieces)));
    requests.push(asked);
    response.writeHead(answer.status ?? 200, { 'content-type': 'application/timestamp-reply' });
    response.end(answer.body ?? Buffer.from(await replyTo(asked, signer, answer)));
  });
  const der = new Uint8Array(root.certificate.toSchema(true).toBER());
  return {
    ...server,
    url: `${server.origin}/tsa`,
    der,
    pem: pemOf(der),
    requests,
    answerWith(change) {
      answer = change;
    },
  };
}

async function replyTo(
  request: pkijs.TimeStampReq,
  signer: Issued,
  { at = new Date(), refuses, otherText, otherNonce }: TimestampAnswer,
): Promise<ArrayBuffer> {
  if (refuses) {
    const status = new pkijs.PKIStatusInfo({ status: pkijs.PKIStatus.rejection });
    return new pkijs.TimeStampResp({ status }).toSchema().toBER();
  }
  const imprint = otherText
    ? new pkijs.MessageImprint({
        hashAlgorithm: new pkijs.AlgorithmIdentifier({ algorithmId: SHA_256 }),
        hashedMessage: new asn1.OctetString({ valueHex: new ArrayBuffer(32) }),
      })
    : request.messageImprint;
  const info = new pkijs.TSTInfo({
    version: 1,
    policy: POLICY,
    messageImprint: imprint,
    serialNumber: new asn1.Integer({ value: Date.now() % 1_000_000 }),
    genTime: at,
    ...(otherNonce
      ? { nonce: new asn1.Integer({ value: 7 }) }
      : request.nonce && { nonce: request.nonce }),
  });
  const content = info.toSchema().toBER();
  const signed = new pkijs.SignedData({
    version: 3,
    encapContentInfo: new pkijs.EncapsulatedContentInfo({
      eContentType: pkijs.id_eContentType_TSTInfo,
      eContent: new asn1.OctetString({ valueHex: content }),
    }),
    signerInfos: [
      new pkijs.SignerInfo({
        version: 1,
        sid: new pkijs.IssuerAndSerialNumber({
          issuer: signer.certificate.issuer,
          serialNumber: signer.certificate.serialNumber,
        }),
        signedAttrs: await attributesOf(content, signer.certificate),
      }),
    ],
    certificates: [signer.certificate],
  });
  await signed.sign(signer.key, 0, 'SHA-256');
  return new pkijs.TimeStampResp({
    status: new pkijs.PKIStatusInfo({ status: pkijs.PKIStatus.granted }),
    timeStampToken: new pkijs.ContentInfo({
      contentType: pkijs.ContentInfo.SIGNED_DATA,
      content: signed.toSchema(true),
    }),
  })
    .toSchema()
    .toBER();
}

/** What RFC 3161 demands to be signed: content type, digest, and the hash of the certificate. */
async function attributesOf(content: ArrayBuffer, certificate: pkijs.Certificate) {
  const digest = (bytes: ArrayBuffer) => crypto.subtle.digest('SHA-256', bytes);
  const certificateHash = await digest(certificate.toSchema(true).toBER());
  const signingCertificate = new asn1.Sequence({
    value: [
      new asn1.Sequence({
        value: [
          new asn1.Sequence({ value: [new asn1.OctetString({ valueHex: certificateHash })] }),
        ],
      }),
    ],
  });
  return new pkijs.SignedAndUnsignedAttributes({
    type: 0,
    attributes: [
      new pkijs.Attribute({
        type: '1.2.840.113549.1.9.3',
        values: [new asn1.ObjectIdentifier({ value: pkijs.id_eContentType_TSTInfo })],
      }),
      new pkijs.Attribute({
        type: '1.2.840.113549.1.9.4',
        values: [new asn1.OctetString({ valueHex: await digest(content) })],
      }),
      new pkijs.Attribute({
        type: '1.2.840.113549.1.9.16.2.47',
        values: [signingCertificate],
      }),
    ],
  });
}

async function issue(of: {
  readonly name: string;
  readonly issuer?: Issued;
  readonly purpose?: string;
  readonly validFrom: Date;
  readonly validTo: Date;
}): Promise<Issued> {
  const { publicKey, privateKey } = await crypto.subtle.generateKey(ALGORITHM, true, [
    'sign',
    'verify',
  ]);
  const certificate = new pkijs.Certificate({
    version: 2,
    serialNumber: new asn1.Integer({ value: of.issuer ? 2 : 1 }),
  });
  const named = (name: string) =>
    new pkijs.AttributeTypeAndValue({
      type: '2.5.4.3',
      value: new asn1.Utf8String({ value: name }),
    });
  certificate.subject.typesAndValues.push(named(of.name));
  certificate.issuer = of.issuer?.certificate.subject ?? certificate.subject;
  certificate.notBefore.value = of.validFrom;
  certificate.notAfter.value = of.validTo;
  certificate.extensions = [
    new pkijs.Extension({
      extnID: pkijs.id_BasicConstraints,
      critical: true,
      extnValue: new pkijs.BasicConstraints({ cA: !of.issuer }).toSchema().toBER(),
    }),
  ];
  if (of.purpose) {
    certificate.extensions.push(
      new pkijs.Extension({
        extnID: pkijs.id_ExtKeyUsage,
        critical: true,
        extnValue: new pkijs.ExtKeyUsage({ keyPurposes: [of.purpose] }).toSchema().toBER(),
      }),
    );
  }
  await certificate.subjectPublicKeyInfo.importKey(publicKey);
  await certificate.sign(of.issuer?.key ?? privateKey, 'SHA-256');
  return { certificate, key: privateKey };
}

const copyOf = (bytes: Uint8Array): ArrayBuffer => new Uint8Array(bytes).buffer;

const pemOf = (der: Uint8Array) =>
  `-----BEGIN CERTIFICATE-----\n${Buffer.from(der).toString('base64').replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`;
