(function(){var e=[[/Edg\//,`Edge`],[/OPR\//,`Opera`],[/SamsungBrowser\//,`Samsung Internet`],[/Firefox\/|FxiOS\//,`Firefox`],[/Chrome\/|CriOS\//,`Chrome`],[/Safari\//,`Safari`]],t=[[/Android/,`Android`],[/iPhone/,`iPhone`],[/iPad/,`iPad`],[/Windows/,`Windows`],[/Mac OS X/,`macOS`],[/CrOS/,`ChromeOS`],[/Linux/,`Linux`]];function n(n){let r=e=>e.find(([e])=>e.test(n))?.[1];return[r(e),r(t)].filter(Boolean).join(` · `)||n.slice(0,60)||null}var r=`data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAGAAAABgCAYAAADimHc4AAAF00lEQVR4nOyda4gWVRjH/2sFRjdSUFOj7UKFqamRlG3bQphlF0WJAqMokoKCMPxQX6Kyy5fQiCKiD0FRhh/sQhhqCZEbW9ZGF8Mu1hbd1LTLahe7vP0fZhSRnfeceXfOeWbeeX7w5yzMmfedef7vnDn3HQFDlREwVDEDlDEDlDEDlDEDlDEDlDEDlDEDlDEDlDEDlDEDlDEDlDEDlDkUBdJoNCYyGUsdhfakQf1Mbevo6NiGAujAMGDAT2FyNXUJNQv14k9qA/Uq9TwN+Qkt0JIBDPwEJsuoa6lDYAxSy6mHaMTuPCfmNoDB72HyCnUEjIMZoHpowte+J+R6CTP4lzJZBwt+Fp3UO4zTab4neD8B/NBuJGWeFTludlAz+CR868roZUD6sn2POhqGL59QM2nCnmaZfIugVbDg52US9YArk/MJ4K9fqpkrYbTCv9TJzV7KPgYMMDkBfnxDbaQ+R3siJcY06jxqlOc5q2nAwqyDTQ1g8C9n8jLcbKFu4RdtQA1gXMSIxdS91BiPU0YzNruGOuB6B3TDzVZqWl2CL/Be/6Oe4J/nImkRu+jJOuAyYBLcLOLF/IUawvv+ksmdHlkz4+gy4DjH8R94EW+j3rzgkSczji4DxjmOf4iak9Zw9jiyZcbRZYCry2EHDMHV4j0m64ANyChjBihT6IiYC9afZzM5kzoS5UVGuvpYtr+PCEQxgIGXfiTpT5qDisBrXkETbkdgYhVBK1Ch4KcsoQmLEZjgBvAmpB/pBlST+xCYGE/A2aguY/gDOh4BifEO2IVq09JsB19iPAH9VK6ZAiViE1/EfyAgwQ3gDfzC5DpUj1+paxCYKLUgmrAaSdftW3D3m2izHcm0m6m87s8QmGgNMd5MH5KRJOMArCtCGTNAGTNAGTNAGTNAGTNAmWgGsE9lFtVL7W6Epz+d0Vd6Yo0HXIxkJUksplMr+b3j2f5YjhIT6wl4Ejrcn3aHl5YY4wEXMJkIHUZSl6HExCiCxkKXCSgxMQzYDF0+RomJ0R0tBqyBDl/Ab+qgGrFewosQtxYkyLTJOaEHVIZLlGpoOigzN9K8IJmpvZnf6bOuQZ2oE7MYlPVM1sPYj3VFKGMGKOMywDWbQbuOXxZc6ygGsw64DHBtyXIWag4rFiehyfz/lB+zDgzXgFG8gPmoNzd55GnZgHfh5hGaMBI1hPd9KpMlHlk3ZR1wGfAi3MjcyY3po1gbeL/nM3mDOsyRVRqCmVVvn5XysgpyJtzIhKvXkayW35mRZy+SvqG1bBP4rK8d6no6mVxEjYcOsuLxRGq2Z/6m6wx8DJAvWodikRln83hhW/KcxGu5g8mDqA7y6+/kfW7PyuBsB6St1z4Ui5Sdq9Il/06Ybxz1JqoVfOHRZsEXfBtisjfcIIplCnWlKxMDPw/J3jtdqBYfUfe4MnkZQBdl95MFKJ5zsg5IzYp6HElF4FhUC1k/Pde1WZPg3RXBD3sNycuvyCdhyMAy8FOZyCrFm1E9ZP+Ibp/tyoRcfUHp+2AGkscrCAz+bUw+oE5H9XiJmp6ncpG7M44fLqNMsmmRvBe+QkEw8KOptfzzYVQPabB2MTbzqd/ynNjSeIDsl8PkGZFMuEIy86AHyXyc3K1ifsaFTJ5FdTr3ZPWMtG6lRFjDeLQ87jysrYuHIm2e72skyTBkM0Oeo76nliI/vdTd1D+Ih/zwtjLg36EgCjfgQGQaIsJs8rqMQbgLbUDUIckCkN7ZhQx+L9qEKo2ISXfIGe0UfKEKBvxNLWXgZYrJTrQZZS+CBpAUOf1oU8r8BMj2NpPbOfhCGQ34nbqRgb/Kpy+l6pStCJLBmgUxVqiXhdBPwN4ceR9j4CfXKfhCaAM+9cgj80blV38rakhoA1xLk2SkbQqDX+op5CEJbcBTSDrtDkb6VGR4scu337xdCdoXtA/2CV3P5ArqcCT/CuVpBt6neGp7ohhgZGOzo5UxA5QxA5QxA5QxA5QxA5QxA5T5HwAA//8g+SpnAAAABklEQVQDAHltzU2WY0glAAAAAElFTkSuQmCC`,i={pt:`Você tem uma nova notificação.`,en:`You have a new notification.`,es:`Tienes una notificación nueva.`},a=e=>typeof e==`string`?e:``;function o(e,t){let n={};try{n=Object(JSON.parse(e))}catch{}let r=a(n.conversation),o=a(n.title);return{conversation:/^[0-9a-f-]{36}$/.test(r)?r:null,title:o||`Recado`,text:o?a(n.text):i[t.slice(0,2)]??i.pt??``}}var s=`<!doctype html>
<html lang="pt-BR" data-base="BASE">
  <head>
    <meta charset="utf-8" />
    <meta
      name="viewport"
      content="width=device-width, initial-scale=1, viewport-fit=cover"
    />
    <meta name="color-scheme" content="light dark" />
    <title>Recado</title>
    <style>
      :root {
        color-scheme: light dark;
        --ground: light-dark(#f6f7f6, #0f1413);
        --ink: light-dark(#18211e, #e6ecea);
        --soft: light-dark(#5b6863, #a3b0ab);
        --accent: light-dark(#0b7a5b, #35b98c);
        --accent-ink: light-dark(#ffffff, #0f1413);
      }
      :root[data-theme='light'] {
        color-scheme: light;
      }
      :root[data-theme='dark'] {
        color-scheme: dark;
      }
      body {
        box-sizing: border-box;
        display: grid;
        place-items: center;
        min-height: 100dvh;
        margin: 0;
        padding: 24px;
        background: var(--ground);
        color: var(--ink);
        font:
          15px/22px 'Inter Variable',
          system-ui,
          sans-serif;
        text-align: center;
      }
      main {
        max-width: 360px;
      }
      h1 {
        margin: 20px 0 8px;
        font-size: 20px;
        line-height: 28px;
        text-wrap: balance;
      }
      p {
        margin: 0 0 24px;
        color: var(--soft);
        text-wrap: pretty;
      }
      button {
        min-height: 44px;
        padding: 0 20px;
        border: 0;
        border-radius: 8px;
        background: var(--accent);
        color: var(--accent-ink);
        font: inherit;
        font-weight: 600;
        cursor: pointer;
      }
      button:focus-visible {
        outline: 2px solid var(--accent);
        outline-offset: 2px;
      }
    </style>
  </head>
  <body>
    <main>
      <svg width="56" height="56" viewBox="0 0 32 32" aria-hidden="true">
        <rect width="32" height="32" rx="8" fill="var(--accent)" />
        <path
          d="M9 8.5h14a2.5 2.5 0 0 1 2.5 2.5v8a2.5 2.5 0 0 1-2.5 2.5h-7.6L10.6 25v-3.5H9A2.5 2.5 0 0 1 6.5 19v-8A2.5 2.5 0 0 1 9 8.5Z"
          fill="none"
          stroke="var(--accent-ink)"
          stroke-width="2.2"
          stroke-linejoin="round"
        />
        <path
          d="M11 13h10M11 17h6"
          stroke="var(--accent-ink)"
          stroke-width="2.2"
          stroke-linecap="round"
        />
      </svg>
      <h1>Sem conexão com o Recado</h1>
      <p>
        Verifique sua internet. A página abre sozinha quando a conexão voltar, e
        o que você escreveu continua guardado.
      </p>
      <button type="button">Tentar de novo</button>
    </main>
    <script>
      const root = document.documentElement
      const base = root.dataset.base
      const texts = {
        en: [
          'Can’t reach Recado',
          'Check your internet connection. The page opens by itself when the connection is back, and what you wrote is kept.',
          'Try again',
        ],
        es: [
          'Sin conexión con Recado',
          'Revisa tu internet. La página se abre sola cuando vuelve la conexión, y lo que escribiste sigue guardado.',
          'Intentar de nuevo',
        ],
      }
      const stored = (name) => {
        try {
          return localStorage.getItem(\`recado\${base}.\${name}\`)
        } catch {
          return null // the browser blocks storage
        }
      }
      const known = ['pt', 'en', 'es']
      const language = [stored('language'), ...navigator.languages]
        .map((tag) => (tag || '').slice(0, 2).toLowerCase())
        .find((tag) => known.includes(tag))
      if (texts[language]) {
        root.lang = language
        ;['h1', 'p', 'button'].forEach((name, index) => {
          document.querySelector(name).textContent = texts[language][index]
        })
      }
      document.title = document.querySelector('h1').textContent
      root.dataset.theme = stored('colors') || 'auto'
      const retry = () => location.reload()
      document.querySelector('button').addEventListener('click', retry)
      const check = () =>
        fetch(\`\${base}/app/version\`, { cache: 'no-store' })
          .then((response) => response.ok && retry())
          .catch(() => undefined)
      addEventListener('online', check)
      setInterval(check, 5000)
    <\/script>
  </body>
</html>
`,c=self.registration.scope,l=new URL(c).pathname.slice(0,-1);self.addEventListener(`install`,()=>void self.skipWaiting()),self.addEventListener(`activate`,e=>e.waitUntil(Promise.all([self.clients.claim(),self.registration.navigationPreload?.enable()]))),self.addEventListener(`fetch`,e=>{e.request.mode===`navigate`&&e.respondWith(u(e))});async function u(e){try{return await e.preloadResponse??await fetch(e.request)}catch{return new Response(s.replace(`BASE`,l),{status:503,headers:{"Content-Type":`text/html; charset=utf-8`,"Content-Security-Policy":`default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`}})}}self.addEventListener(`push`,e=>e.waitUntil(Promise.all([p(e.data),m()])));var d=1e4,f=({shown_at:e=0})=>Date.now()-e<d;async function p(e){let{conversation:t,title:n,text:i}=o(e?.text()??``,navigator.language),a=t??`recado`,s={body:i,icon:`data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAMAAAADACAYAAABS3GwHAAAQAElEQVR4nOzdC1xUZfoH8N97GG4zigSamlLkDTXtZrpe0tRSK7N120gFbPuXH7tsW1tthdinqFalNv232cXcttxUvNZWlJVuampGaaahQt7S1BRFQmAGhsu8+77HtdJGZG6c98x5vp8PzgAzgHOeZ855b89rg8KiMzM6RTB0Z8zTjXPWjYEnc7B4MMSJ+80B1hJEAbxEHJcKcJSL41Im7u9ljBdyxrfX10cUunPm7YKiGBTheDi1DbfZ+nLG+moc8ra3+OPsIKbHOZwiMTZ6wD5nGs93eWrXY9qSo1CAsQmQndrM7o4cA8YmiD+kL4hlcCCfcc9sZ3XdQvz/kioYxJAEcGSlXSreFe4Vv30MA2sGYl2cH+cM80QgvuacmrsZTaxJEyBm8rgrNa5lil86EoScRpwVPvAwT071lAXr0ESaJAHsWRki4D0i8NmVIOQsOLhIADbVNXX+hwixkCZA1GNjutk8ttfEL+kPQnwkzgjr67S6CTV/XVSIEAlNAmSnx8XW4DHR8n9AvOvbQIifxNmgTnSBz6iKLn8S2XkuBFnQE0Bc7lwuLncWi8DvCEKCRCTCbkC7xTV13iYEUQSChzkmpf1F3C5gjAaoSHCJN9QEkQW32wb2cNat25qPIAnOGeAv48+1R3rmMobhICTERBf6cletNh7PzT2CAAWcAP9r6K4QP6gdCGkiIgkO1AEjaqbN344AaAiAIzN9eGR9xOcU/KSpiauN9pHg62Mmpw1CAPxuA4jr/fFiBG+JuN6PBSFGYCyGcaRFDexxsHbdVr9Gkf1KAPukcXcypv1TBH9AZxBCAiVi0Cb++W3EgJ676tYVFMBHPrcBTozq8vdYgJdPhASTHC8A4ze5pizI8+V5PiVAzKRxV2lM+0g8KQaEKEaMHFfDg0GunPkbGvucRidA1KT07pFAvnhGcxCiKo5jtR7PVTXPLNjWmIc37jLm0dQWNvAPKPiJ8hgSbRp7D9m3xTfm4Y1KAIcW9apobCSDEBMQsdrB4a6d1ZjHnrUXyJGVdpv4iZNBiJkw9Iga2HNf7dqCzQ0/rCHZqQn2msh9tGqLmBJHhRMRF2Lam8fO9JAGL4Hs7qgZFPzEtESb1Y766Q0/5Axkl2cE01aDEJOr93iurs5ZsNLb97yfAbJTo0TwvwpCwkAEYy8hO9trrHv9oqMmMk3cpICQcMBYV0fNjlu9fcv7GYBjEggJKyzT21d/lQD2SeNGi4zpAkLCS4ojc9y1p3/RyxlA85ophJge+/VZ4JQEiMnMGMwYfgNCwhFjV8VOTj+lBOcpCaAxfhsICWPMg7tO+fyne9mj7HZ33BFxBnCAkHAlR4ejDyYge3Wd/PSnM0BsTfMbKfhJ2JOjw+62N5z8VPv56xgLQqyAsdt+uqv/K0Z+7e7IcsZYNAgJc3LlmKuiNB4zP3TrZ4CY6uj+FPzEKuSS3hhHYj95X08ATfMMBiEWcjLm9QRgHINBiIWcjHlG1//Eik62A2yxtVGXi+5PCn5iKbIdEBuXcJmmcd4VhFiQjH1NnAqSQYgFydjXGGd0BiDWxFmyxhlvVAEhQsIO421sIgviDd4vPihaN49H+xYJSGrREknxiWgeQ1Xbg6miugr7y45h//ES/fZI5XGYnoh9m+gBMt0ZQHTZ4pK2F2BQh+4YeGE39E9OQYsYO0jTOV7twmd7i7B2TyHWfFeIbw7tA+ccZiJjnzmy0g6Lu61hEr/v2RfZw2/BhQnngqhj97FiZC9fhH9v/RLmwYuZfVJatRkGwfqe3xnPjhyPy9t3AFHXpgN78MgHc5H//U6oTpyx3OIMkK70eUte7ky5dhzuu/J6EPOYsSYPj3+8CKpTehd3R1Q0FqY/gCGdeoCYy4ODRuGi1km4deFMOGvcUJWy2xydH98Sa+55moLfxEakXIpP73lK9M4lQlVKJkDz6Bi893+ZSGl1Hoi5dW3VDnm3Z+rHVEXKJYAmrvkXj38InVq2AQkPnVu2xaKMB/X2nGqUS4CXfjdB79sn4UWO2TxzfQZUo1QCDO3UE+N7XQUSnu7pPwL9LlCr6qZSCZBzfRpIeFPtLKBMAoy9dAC6i24zEt7kQKYczVeFMuMAjw9LRaAOHi/FjpJD2F68X5+rQoJHzrWSb1AprdrivLgEBEJOZXmrIB8qUCIBbujWS+/399e+H48iPffv2PzDXpDQ653UEXPH3of28f7178t5XHKM4ONvN8NoSlwCDU+5BP7K274R/WZmUfA3oQ37d6PPC5n6a++v4V38P+bBpEQCXJdyGfzxyc4CjJv/PMrdVSBNS77m8rX/dPc2+EOe9VVgeALI0d62cefAVz9WOXHH4pdBjHXHkldQXu37G1C7FgnokGD8LHzDE6BHm/Phj4lLZ6HEVQFirMMVZXjgvTfgjx5tjO/1MzwBEuy+78NdWlWJD4u+BlHDoi3rUVVbA18l2JvDaKZMgO+OHQFRy66Sw/CVP8c+2MyZAKWUAKrZU1oMXyUqkACGjwPYI31fjVnupkEu1ZS6KuErFSp3KLsghpCmQAlALI0SgFgaJQCxNKWrQjSFy9t1wKXnJaNNnLVKpB4uL9PnT206uAdWZskEkOuO7+43AllX32T5kopl1S789T9LMTt/BTwmK20YDJZMgJV3ZeOK9h1BgHjxBvDcDbfilkv6Y+isbFiN5doATwxLpeD3ok9SJzx2ze9hNZZKgAhNw58GXAfi3Z+vHKlk6ZJQslQC/CapM2Iio0C8k69Nr3bWKj5sqQQY2IHqDZ3NgAuttWOWpRrBkRERIA2TBYmtxFIJ8M0P+0AatsVia6stlQAFh78HadgWi71JWKoNINcRvLttA4h3i7esx4Hjx2AllhsHmLDkFRQcojPB6eS0iLvf/gesxnIJINeuDp71BF75fDmIvk8WXl7/MYaI18RdVwurseRUCHmgH37/Tcz96lN0O7cd2jSPh0PRDRxCxemuxqGKMmwvPoCtFm4bWXo2qNzbVn4Q66L1AMTSKAGIpVECEEujBCCWRglALI0SgFgaJQCxNEoAYmmUAMTSqC6QonWBqG5P06C6QIrXBbJ63Z5Qo7pAirN63Z5Qo7pAJmHVuj2hRnWBTMSKdXtCjeoCmYgV6/aEGtUFMhmr1e0JNaoLZDJWq9sTalQXyGSsVrcn1KgukMlYrW5PqFFdIBOxYt2eUKO6QCZh1bo9oUZ1gRRn9bo9oUZ1gRStC0R1e5oG1QWiukCWRusBiKVRAhBLowQglkYJQCzN8EZwZU01fNW6mVrLF4k4Js1bwFcVbt+PfbAZngBHKo/DVxe3vQBELXJdta+OiG5eoxl+CVRc4XsCJMUnKr+W10riomNxXlwCfFXsx5tfsBmeAEf8fBEm9h0GooY/DrgW/iimM8CJOS7+yBwyGhec0wrEWB0TW+PRwaPhDxXmZBmeACXOcr+G+qNtkZh100QQY72Wejdsfiw0+vrgdyhxVcBoSnSDrtjxDfwhlzi+e9uj4vrzHJCmJV9z+dr3TuoEf6zY6d8xDzYlEmD5ji3w19Wde+KrPz+LO0Wb4JxYB0hoJcQ20ytrbH7wOf2199fyb/0/5sHEHFnpSpQb2/TA39ClZVsEamfJIaz7rgiHKn4862PrPR59tqVcZvh9WQlC6crkrugk/n9y5qmmma+0SVKLRPRLTkGnxDYIlHzN+7yQCRUoMxv0yeWLMT/tfgSqswiyzn4k0ob9u3D/u28EfXaovESYPupWvQYpOSFbHGtVKDMVQi5V3Gzggm8ZqOvvnYLbew9FsDw+LBWr7sqm4P+FjQd2Y1nRJqhCqblATyxfBKM9OzIDFyaci0C0a5GAlXdm45HBvwU51aRl86ESpRLgk50FmLNxFYwkq6/d09+/gR3phm698OV9Oehzvn+9I+Hs1fwV+HzfDqhEuRVh973zOjoktMagDt1hlIF+VF+T4xJ/u2F8UC+hwsna7wr1ZaiqUW46tKyBP2beDL03xyg92pyPZlGNXyPc9dx2+PzeqRT8Z7Cr5DBumTtdyf0NlFwPIKfJjno9B0VHD8IoHcQQf2Pc1W84Nt7/DLq0CrwLNxwVHjmIka9PVWLqszfKLoiRBaCGvPIEVu3aCiNoZylDLmdALr31IX3zCuKdPHaDX3kcB4+XQlVKrwiT7xo3znkGL63/CCrpndRRb+hem3IZiHcvfvaRfuycNW6oTPmyKLIw1KMfzEPeto14VjQyjVwMIzenkDMfJw39nb7ZBvm1TQf24JEP5iL/+50wA9PUBVq3twj9X5yMmy/uiyeG3RJwX72v5DLMueP+hP7JKSC/tvtYMZ5csRhvF3wBMzFdYayl3+TrHwNEII7q3huje/RG+xaJCLZf9lhc1/UyzL75LppsdxrZTntn6wbkbd+Az/Z+CzMybWU4+YLLj8xl80S3ZRKS4lvqDdO4GLv4iNX75U/KGnoT/DV91B/0mabB9uZXn5qq0rMsJ1leXSU+XDguPuTfvvXwfphdWJRGlAeioYPhTwKktDpPX+zRvXV7BJNcBHL7opexclcBiPEsv1P8mbwx5o8ItlW7t+GOxS/hSGU5iBooAZpAnaceT61Yihlr8kDUQgkQYvt+PIr03L8bOtWbnBklQAi9XZCv7+qi+mCQlVEChICr1o2H8k5swEHURgkQZIXFB5CW+zx2lhwGUR8lQBDJfccmf5iLmvo6EHOwcc7djDHafjwApVWVmLhkFj76djOIecjYtzFATtSmBPDTejEaPX7BTBRXGl/nkviGMZTZwPQE8L24u8XJmkJTV76NZ1e/q89YJeYjjlq1aAMw+dbVuOVPRHeg7BjGL3wBG/bvBjEvBlYt2gAoY+YrVGaYvO0bcefSV1HurgIxNxn74hKIH5a5QBomd5jPXDYf//zyE5AwIWLfJq6DikT4h3UFp2OuSiTam8FfO44e0vv2i44Yt0ifBJ+MfbmwrwhhbsfRH+Av+Y7f78UsCv4wJGPf5mGsSAvzToz3xXV7vwu6+PQcuehDXuu/X/gVSHjSY7+qvPRrfmIsIGzJknw/Vjkb/fgvv9+ll++m4A9fMuZl7GuY+aFbfKbGbgUhUl1XizFzZ8B5lj2J5TrgZ1a9g2tmP6l0LRsSOMb5FzL29doejPF8hLn1+77FsNlPY09psdfvbzq4B1e/+iSe/s9SJUv4keDiDKvlrT4ZToxkrmaMBb47heLk5hcXT38IF7VOwjVdLoY9MgqHK8r02pWyeCuxDuY58aavJ4Arum6NvSbKwxSvFBcs24r36x/EmsT53eMC0wsYnQj47CWl4ppoLQixAD3Wc3L1TeR+fsdnmANCrOAXsf5TAjhrIpZw8EoQEsZE/4bTGVXx0y59P58BnpvrFE3jt0BIeFuK7DzXyU9OafR6OJsDQsLY6TF+SgJU58xbLc4RVMqAhCcR23qM/4Lm5UE5ICQceYltrwsB7FlpGxjYFSAkTIi+/02uqfN7nf517QwPng5Cwgn34X74gAAAAvxJREFUPO3ty14ToCqqy2LRJboRhIQBzvlXruiU97x974xrIe2Zab3Ed79gjEWAEJMSwV8PpvVxTZ23ydv3zxjctesKDkUN6pkgcqQvCDEpxjBTXPu/cabvNzj5zRlV+5jIoRIQYkJi1PeAsyZickOPaXj2Z/aSynqPlipnz4EQE5Ex64EnQ5/h0ICzXt/Xrftmb+TAnproFh0MQkyDP1U1bcG/zvaoxhYEYo6stE/EzRAQojqO1c5p84fq986isQtguJPbUsWNObb/JhbGdzoRcTMaEfxS41eATXvzWJ1Hu54axURdvESPURGrjX2GT0sg3TnzdnkYGyVa17UgRCEyJmVsyhj15Xk+D3LVrS04IMYH9ov2wGgQogjG+ATX1Nz34SO/Rnlr1xZsjhzYQ9YKvF70DlliIT1RkxzpZeATnNMWzIEfAioLbc/KGAnueYu2WCJG0Lf34ny0M2fBR/BTwHXRYzIzBkdo/N/ibjwIaSqcH6/XcGP1lNw1CEBQNgaIzszoZGP8bfHTeoKQUON8Wz0XwZ+TuwcBCsr1u2x5O6Mj+3DwOSAkhESMveSMjroiGMEvBX1rGMek9D+Im5niJzcHIUGil+xhyHBNyX0XQRT0uf616wq22K66aB6D1k58ehEICRhfwuvYjVU5uRsQZCHdHCwmK22IuMb6h+gq7QhCfMV5kWjo3hloQ7chod8db+LESEdi5Vjxqx6mRjJppK0i+qc7S5rNx+zZIZ110KTbQzqy0kaIi7lHxLDdUBDyK3wV53jONS13GZqIIfuj2jPHXsY07RHxn02lNcfWps8rY3wBPJ7nXTkLv0YTM3yD4NjJ6X01D8aIVv6NIhk6gIQ9MYK7hzP2FmP1i11TFhpafUSpHbJjMscma0y7TvxVIxgXl0nUlRoeOCo44yvhYcs9qF9WnbNwLxSh9BbxcoQ5IqK+m0iG7pyzbgw8mYPFi786TtwXycFagiiAl4jjUiECvVwclzJxfy9jvJBzrVCM2G73dYpyU/ovAAAA//++FzC8AAAABklEQVQDAEbIe/oGAhBIAAAAAElFTkSuQmCC`,badge:r,tag:a,renotify:!(await self.registration.getNotifications({tag:a})).some(({data:e})=>f(e)),data:{conversation:t}};await self.registration.showNotification(n,s)}async function m(){if(`setAppBadge`in navigator)try{let e=await fetch(`${l}/v1/me/notifications?unread=true&limit=1`,{cache:`no-store`});if(!e.ok)return;let{unread_count:t}=await e.json();await(t>0?navigator.setAppBadge(t):navigator.clearAppBadge())}catch{}}self.addEventListener(`notificationclick`,e=>{e.notification.close();let{conversation:t}=e.notification.data;e.waitUntil(h(t))});async function h(e){let t=e?`inbox/open/${e}`:``,n=(await self.clients.matchAll({type:`window`,includeUncontrolled:!0})).find(({url:e})=>e.startsWith(c)&&!e.startsWith(`${c}docs/`));n?(await n.focus().catch(()=>void 0),e&&!await _(n,e)&&await n.navigate(c+t).catch(()=>void 0)):await self.clients.openWindow(c+t)}var g=2e3;function _(e,t){return new Promise(n=>{let{port1:r,port2:i}=new MessageChannel;r.onmessage=()=>n(!0),setTimeout(()=>n(!1),g),e.postMessage({open:t},[i])})}self.addEventListener(`pushsubscriptionchange`,e=>e.waitUntil(v(e.newSubscription)));async function v(e){let t=await fetch(`${l}/v1/me/push-key`,{cache:`no-store`});if(!t.ok)return;let{key:r}=await t.json(),{endpoint:i,keys:a}=(e??await self.registration.pushManager.subscribe({userVisibleOnly:!0,applicationServerKey:r})).toJSON();await fetch(`${l}/v1/me/push-subscriptions`,{method:`POST`,headers:{"Content-Type":`application/json`},body:JSON.stringify({endpoint:i,keys:a,device:n(navigator.userAgent)??`Recado`})})}})();