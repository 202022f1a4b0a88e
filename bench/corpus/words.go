package corpus

// The lists are roughly ordered by frequency.
const (
	firstNames = `
Maria José Ana João Antônio Francisco Carlos Paulo Pedro Lucas Luiz Marcos Luís Gabriel Rafael Francisca Daniel Marcelo Bruno Eduardo
Felipe Raimundo Rodrigo Manoel Mateus André Fernando Fábio Leonardo Gustavo Guilherme Leandro Tiago Anderson Ricardo Márcio Jorge Sebastião
Alexandre Roberto Edson Diego Vítor Sérgio Cláudio Matheus Thiago Geraldo Adriano Luciano Júlio Renato Alex Vinícius Rogério Samuel Ronaldo
Mário Flávio Igor Douglas Davi Manuel Jeferson Cícero Victor Miguel Robson Maurício Danilo Henrique Caio Reginaldo Joaquim Benedito Gilberto
Adriana Juliana Márcia Fernanda Patrícia Aline Sandra Camila Amanda Bruna Jéssica Letícia Júlia Luciana Vanessa Mariana Gabriela Vera Vitória
Larissa Cláudia Beatriz Rita Luana Sônia Renata Eliane Josefa Simone Natália Cristiane Carla Débora Rosângela Jaqueline Rosa Daniela
Aparecida Marlene Terezinha Raimunda Andréia Fabiana Lúcia Raquel Ângela Rafaela Joana Luzia Elaine Daniele Sara Alice Tereza Célia Isabela
Helena Lívia Sophia Laura Cecília Eloá Manuela Yasmin Heloísa Valentina Enzo Arthur Bernardo Heitor Theo Lorenzo Otávio Nícolas Ícaro Íris
Zilda Conceição Iracema Jurema Moacir Ubirajara Wellington Washington Wanderley Valdir Valdemar Osvaldo Olívia Noêmia Nádia Mirtes Marisa`

	lastNames = `
Silva Santos Oliveira Souza Rodrigues Ferreira Alves Pereira Lima Gomes Costa Ribeiro Martins Carvalho Almeida Lopes Soares Fernandes Vieira
Barbosa Rocha Dias Nascimento Andrade Moreira Nunes Marques Machado Mendes Freitas Cardoso Ramos Gonçalves Santana Teixeira Araújo Pinto
Moura Cavalcanti Correia Castro Campos Monteiro Reis Batista Borges Melo Azevedo Cunha Miranda Duarte Farias Brito Barros Pires Medeiros
Coelho Sales Nogueira Tavares Siqueira Fonseca Amaral Peixoto Guimarães Macedo Moraes Xavier Viana Queiroz Leite Antunes Bezerra Matos Franco
Assis Rezende Sampaio Dantas Bastos Aguiar Chaves Vasconcelos Paiva Magalhães Figueiredo Lacerda Furtado Prado Toledo Camargo Bueno Brandão
Arruda Pacheco Neves Abreu Serra Leal Torres Maia Pinheiro Vargas Meireles Mota Simões Esteves Valente Quintana Wagner Schmidt Müller Becker
Yamamoto Tanaka Rossi Bianchi Ferrari Zanetti Haddad Khoury Teles Galvão Lobato Veloso Bittencourt Albuquerque Sá Falcão Gouveia Loureiro`

	streetTypes = `Rua Avenida Travessa Alameda Rodovia Praça Estrada Largo Viela Quadra`

	words = `
de o a que e para não com um do da uma em os no se por na é mais as dos como mas foi ao ele das tem à seu sua ou ser quando muito
já está eu também só pelo pela até isso ela entre era depois sem mesmo aos ter seus quem nas me esse eles estão você tinha foram essa
num nem suas meu às minha têm numa pelos havia seja qual bom dia boa tarde noite obrigado obrigada oi olá tudo bem pedido preço valor
entrega produto prazo quanto custa favor queria gostaria saber posso pode consigo ainda hoje amanhã agora loja compra comprar pagamento
pix boleto cartão nota fiscal frete endereço número nome telefone horário atendimento retorno resposta aguardo confirmação chegou recebi
veio errado trocar troca devolver devolução defeito problema ajuda preciso quero tamanho cor modelo estoque disponível orçamento desconto
promoção cliente conta senha acesso sistema site aplicativo link foto imagem vídeo áudio mensagem contato email cadastro documento contrato
assinatura plano mensalidade cancelar cancelamento renovar renovação vencimento parcela juros multa fatura cobrança débito crédito banco
agendar agendamento consulta exame médico doutor clínica dente limpeza retorno semana mês ano segunda terça quarta quinta sexta sábado
domingo manhã almoço janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro aniversário festa bolo pão
queijo café açúcar leite carne frango arroz feijão pizza hambúrguer refrigerante suco água cerveja vinho sobremesa chocolate sorvete salada
camisa calça vestido sapato tênis bolsa roupa tecido cama mesa cadeira sofá armário geladeira fogão máquina lavar televisão celular
computador notebook teclado impressora carregador bateria tela peça motor pneu óleo freio carro moto bicicleta oficina revisão garantia
instalação técnico visita manutenção conserto reparo elétrica hidráulica pintura parede telhado piso azulejo cimento tijolo areia madeira
porta janela chave fechadura portão muro jardim piscina casa apartamento aluguel imóvel condomínio síndico vizinho reforma projeto
engenheiro arquiteto advogado processo audiência escritório reunião empresa funcionário vaga currículo salário férias curso aula
professor aluno escola matrícula prova material livro caderno uniforme transporte viagem passagem hotel reserva voo aeroporto bagagem
passeio praia montanha fazenda cachorro gato ração veterinário vacina banho tosa remédio farmácia receita dor febre gripe alergia pressão
cabelo corte unha manicure maquiagem perfume creme sabonete academia treino dieta nutricionista massagem fisioterapia óculos lente armação
flores buquê presente lembrança convite casamento noiva aliança anel brinco colar relógio joia inverno verão outono primavera chuva sol
urgente importante rápido devagar grande pequeno novo velho usado bonito feio barato caro melhor pior igual diferente certo errada completo
quebrado rasgado amassado vencido estragado atrasado cancelado confirmado enviado entregue devolvido pendente aprovado recusado liberado
transportadora rastreamento código correios motoboy retirada balcão filial matriz fornecedor atacado varejo revenda distribuidor catálogo
amostra lote validade embalagem etiqueta caixa pacote sacola envelope palete caminhão carga descarga pesagem balança medida metro quilo
parafuso rolamento compressor válvula mangueira solda torno broca lixa verniz impermeabilização drywall gesso granito mármore porcelanato
jabuticaba paçoca rapadura acarajé tapioca pamonha brigadeiro quindim coxinha esfirra empada quibe moqueca feijoada churrasco caipirinha`
)

var (
	areaCodes = []int{11, 11, 11, 21, 21, 31, 41, 51, 61, 71, 81, 85, 19, 27, 48, 62, 92, 13}
	quarters  = []string{"Centro", "Jardim", "Vila", "Parque", "Bairro", "Conjunto", "Residencial", "Alto da", "Cidade"}
)
